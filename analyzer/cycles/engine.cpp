// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/engine.h"

#include "analyzer/cycles/connection_attempts.h"
#include "analyzer/cycles/cycle_engine.h"
#include "analyzer/cycles/early_segments.h"
#include "analyzer/cycles/passing_bytes.h"
#include "analyzer/tcp/diagnosis/tcp_diagnosis.h"

namespace iscsiscope {
namespace {

// The stage between the tcp and the iscsi room. It passes each segment first to the diagnosis, whose results
// the later rooms read, then to these rooms, and last to a front end that shows frames.
class DiagnosisStage final : public StreamSink, public TcpDiagnosisSink {
    // Returns the function that reports passed bytes of this connection to the sink.
    auto passed_to_sink(const Connection &c) {
        return [this, &c](Side sender, const StreamBytes &p) {
            if (const auto d = cycles_->direction(c, sender))
                records_.put(PassedRecord{p, c.stream, *d});
        };
    }

public:
    DiagnosisStage(const RecordTables &records, const EngineOptions &options)
        : records_(records),
          attempts_(options.iscsi.ports, [&records](const AttemptRecord &r) { records.put(r); }),
          forward_segments_(records.wanted<SegmentRecord>()), count_bytes_(records.wanted<PassedRecord>()) {
        if (options.tcp_analysis)
            diagnosis_ = std::make_unique<TcpDiagnosis>(*this, records.wanted<TcpSampleRecord>());
    }
    void connect(IscsiEngine &next, CycleEngine &cycles) {
        next_ = &next;
        cycles_ = &cycles;
        if (count_bytes_)
            cycles.set_before_close(
                [this](const Connection &c) { passing_.close(c, true, passed_to_sink(c)); });
    }
    TcpDiagnosis *diagnosis() const { return diagnosis_.get(); }

    void on_open(const Connection &c) override { next_->on_open(c); }
    void on_piece(const Connection &c, Side s, const StreamPiece &p) override { next_->on_piece(c, s, p); }
    void on_segment(const Connection &c, const SegmentReport &r) override {
        attempts_.on_segment(c, r);
        if (diagnosis_)
            diagnose(c, r);
        next_->on_segment(c, r);
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
        attempts_.on_close(c);
        next_->on_close(c, r, at, f);
        if (count_bytes_)
            passing_.close(c, false, passed_to_sink(c)); // of one that does not speak iSCSI
        if (diagnosis_) {
            early_.forget(c);
            diagnosis_->on_close(c);
        }
    }
    std::uint64_t content_needed_from(const Connection &c, Side s) override {
        return next_->content_needed_from(c, s);
    }

    void finish() { attempts_.finish(); }

private:
    void count_bytes(const Connection &c, const SegmentReport &r) {
        if (next_->given_up(c))
            passing_.give_up(c);
        else
            passing_.segment(c, r, cycles_->direction(c, r.side).has_value(), passed_to_sink(c));
    }
    void diagnose(const Connection &c, const SegmentReport &r) {
        if (next_->given_up(c)) {
            if (early_.give_up(c))
                diagnosis_->on_close(c);
        } else if (early_.released(c)) {
            diagnosis_->on_segment(c, r);
        } else if (!early_.keep(c, r)) {
            early_.release(c, [this](const Connection &then, const SegmentReport &e) {
                diagnosis_->on_segment(then, e);
            });
            diagnosis_->on_segment(c, r);
        }
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
    ConnectionAttempts attempts_;
    EarlySegments early_; // not yet passed to the diagnosis
    PassingBytes passing_;
    bool forward_segments_, count_bytes_;
};

} // namespace

struct Engine::State {
    RecordTables records;
    DiagnosisStage stage;
    CycleEngine cycles;
    IscsiEngine iscsi;
    TcpEngine tcp;

    State(RecordTables all, EngineOptions options)
        : records(std::move(all)), stage(records, options),
          cycles(records, options.cycles, stage.diagnosis()),
          iscsi(cycles, records, std::move(options.iscsi)), tcp(stage, records, options.tcp) {
        stage.connect(iscsi, cycles);
    }
};

Engine::Engine(RecordTables records, EngineOptions options)
    : state_(std::make_unique<State>(std::move(records), std::move(options))) {}

Engine::~Engine() = default;

void Engine::feed(const Segment &segment) {
    state_->tcp.feed(segment);
}

void Engine::finish() {
    state_->tcp.finish();
    state_->stage.finish();
}

const IscsiCoverage &Engine::coverage() const {
    return state_->iscsi.coverage();
}

ForgottenState Engine::forgotten() const {
    return {state_->tcp.connections_forgotten(), state_->cycles.sessions_forgotten()};
}

std::uint64_t Engine::tcp_connections() const {
    return state_->tcp.connections_seen();
}

} // namespace iscsiscope
