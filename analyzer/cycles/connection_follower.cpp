// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/connection_follower.h"

#include "analyzer/cycles/early_segments.h"
#include "analyzer/cycles/passing_bytes.h"
#include "analyzer/cycles/session_members.h"
#include "analyzer/tcp/diagnosis/tcp_diagnosis.h"

namespace iscsiscope {
namespace {

HandshakeRecord handshake(const Connection &c, const SegmentReport &r) {
    const Segment &s = *r.segment;
    return {.stream = c.stream,
            .sender = r.side,
            .source = s.source,
            .destination = s.destination,
            .flags = s.flags,
            .sequence = s.sequence,
            .acknowledgment = s.acknowledgment,
            .time = s.time,
            .frame = s.frame,
            .answered = c.end(Side::acceptor).syn_seen};
}

ForgottenRecord forgotten(const Connection &c) {
    const auto host = [](const ConnectionEnd &e) {
        return e.seen ? std::optional(e.endpoint.address) : std::nullopt;
    };
    return {.stream = c.stream, .last_frame = c.last_frame, .hosts = {host(c.ends[0]), host(c.ends[1])}};
}

// The stage between the tcp and the iscsi room. It passes each segment first to the diagnosis, whose results
// the later rooms read, then to these rooms, and last to a front end that shows frames.
class DiagnosisStage final : public StreamSink, public TcpDiagnosisSink {
    // Returns the function that reports passed bytes of this connection to the sink.
    auto passed_to_sink(const CycleConnection &of) {
        return [this, &of](Side sender, const StreamBytes &p) {
            records_.put(
                PassedRecord{p, of.tcp.stream,
                             sender == of.initiator ? PduDirection::to_target : PduDirection::to_initiator});
        };
    }

public:
    DiagnosisStage(const RecordTables &records, const EngineOptions &options)
        : records_(records), forward_segments_(records.wanted<SegmentRecord>()),
          count_bytes_(records.wanted<PassedRecord>()) {
        if (options.tcp_analysis)
            diagnosis_ = std::make_unique<TcpDiagnosis>(*this, records.wanted<TcpSampleRecord>());
    }
    void connect(IscsiEngine &next, CycleEngine &cycles) {
        next_ = &next;
        cycles_ = &cycles;
    }
    TcpDiagnosis *diagnosis() const { return diagnosis_.get(); }

    void on_open(const Connection &c) override { next_->on_open(c); }
    void on_piece(const Connection &c, Side s, const StreamPiece &p) override { next_->on_piece(c, s, p); }
    void on_segment(const Connection &c, const SegmentReport &r) override {
        if ((r.segment->flags & (tcp_syn | tcp_rst)) != 0) [[unlikely]]
            records_.put(handshake(c, r));
        next_->on_segment(c, r, diagnosis_ ? diagnose(c, r) : nullptr);
        if (count_bytes_)
            count_bytes(c, r);
        if (forward_segments_)
            records_.put(segment_record(c, r));
    }
    void on_damaged(const Connection &c, const SegmentReport &r) override {
        if (forward_segments_)
            records_.put(segment_record(c, r, true));
    }
    void on_close(const Connection &c, CloseReason r, Time at, FrameNumber f) override {
        records_.put(forgotten(c));
        IscsiEngine::end(c);
        if (count_bytes_)
            end_count(c);
        next_->forget(c, r, at, f);
        if (diagnosis_)
            diagnosis_->on_close(c);
    }
    std::uint64_t content_needed_from(const Connection &c, Side s) override {
        return next_->content_needed_from(c, s);
    }

private:
    void count_bytes(const Connection &c, const SegmentReport &r) {
        if (const CycleConnection *known = cycles_of(c))
            PassingBytes::pass(c, r, passed_to_sink(*known));
        else if (next_->given_up(c))
            PassingBytes::give_up(c);
        else
            PassingBytes::keep(c, r);
    }
    void end_count(const Connection &c) {
        if (const CycleConnection *known = cycles_of(c))
            PassingBytes::close(c, passed_to_sink(*known));
        else
            PassingBytes::give_up(c);
    }
    const SendCircumstances *diagnose(const Connection &c, const SegmentReport &r) {
        if (next_->given_up(c)) {
            EarlySegments::drop(c);
            if (TcpDiagnosis::follows(c))
                diagnosis_->on_close(c);
            return nullptr;
        }
        if (!TcpDiagnosis::follows(c)) {
            if (EarlySegments::keep(c, r))
                return nullptr;
            EarlySegments::release(c, [this](const Connection &then, const SegmentReport &e) {
                diagnosis_->on_segment(then, e);
            });
        }
        return diagnosis_->on_segment(c, r);
    }
    void on_tcp_sample(const Connection &c, const TcpSample &s) override {
        if (const auto d = cycles_->direction(c, s.sender))
            records_.put(TcpSampleRecord{s, c.stream, *d});
    }
    void on_retransmission(const Connection &c, const TcpRetransmission &r) override {
        cycles_->on_retransmission(c, r);
        if (!records_.wanted<RetransmissionRecord>())
            return;
        if (const auto d = cycles_->direction(c, r.sender))
            records_.put(RetransmissionRecord{r, cycles_->face(c), *d});
    }
    void on_reordering(const Connection &c, const TcpReordering &r) override {
        if (const auto d = cycles_->direction(c, r.sender))
            records_.put(ReorderingRecord{r, *d});
    }

    const RecordTables &records_;
    IscsiEngine *next_ = nullptr;
    CycleEngine *cycles_ = nullptr;
    std::unique_ptr<TcpDiagnosis> diagnosis_;
    bool forward_segments_, count_bytes_;
};

} // namespace

struct ConnectionFollower::State {
    RecordTables records;
    DiagnosisStage stage;
    CycleEngine cycles;
    IscsiEngine iscsi;
    TcpEngine tcp;

    State(const RecordTables &all, const EngineOptions &options, FollowOrder *order)
        : records(all), stage(records, options), cycles(records, options.cycles, stage.diagnosis(), order),
          iscsi(cycles, records, options.iscsi), tcp(stage, records, options.tcp) {
        stage.connect(iscsi, cycles);
    }
};

ConnectionFollower::ConnectionFollower(const RecordTables &records, const EngineOptions &options,
                                       FollowOrder *order)
    : state_(std::make_unique<State>(records, options, order)) {}

ConnectionFollower::~ConnectionFollower() = default;

void ConnectionFollower::follow(const Placement &at, const Segment &segment) {
    state_->tcp.follow(at, segment);
}

void ConnectionFollower::close(const Closing &closing) {
    state_->tcp.close(closing);
}

void ConnectionFollower::end(Session &over) {
    state_->cycles.end(over);
}

void ConnectionFollower::act(std::uint32_t slot) {
    if (const Connection *c = state_->tcp.connection(slot))
        state_->cycles.act(*c);
}

bool ConnectionFollower::settled(std::uint32_t slot) const {
    const Connection *c = state_->tcp.connection(slot);
    return c != nullptr && (state_->iscsi.given_up(*c) || in_session(*c));
}

std::vector<std::uint32_t> ConnectionFollower::companions(std::uint32_t slot) const {
    const Connection *c = state_->tcp.connection(slot);
    return c != nullptr ? iscsiscope::companions(*c) : std::vector<std::uint32_t>{};
}

std::uint64_t ConnectionFollower::tasks_begun() const {
    return state_->cycles.tasks_begun();
}

CycleId ConnectionFollower::oldest_cycle() const {
    OldestCycle oldest;
    state_->cycles.show(oldest);
    for (std::uint32_t slot = 0; slot < state_->tcp.slot_count(); ++slot)
        if (const Connection *c = state_->tcp.connection(slot))
            show(*c, oldest);
    return oldest.cycle;
}

IscsiCoverage ConnectionFollower::coverage() const {
    return state_->iscsi.coverage();
}

std::uint64_t ConnectionFollower::sessions_forgotten() const {
    return state_->cycles.sessions_forgotten();
}

} // namespace iscsiscope
