// SPDX-License-Identifier: GPL-2.0-or-later
// The part of Store that takes the records of the engine.
#include "plugin/store/store.h"

#include <algorithm>
#include <utility>

namespace iscsiscope::plugin {
namespace {

constexpr std::size_t max_unread = 4096;

bool begins(const Cycle &cycle) {
    return cycle.record.command_frame && cycle.record.command_frame != cycle.record.end_frame;
}

bool same_result(const BurstRecord &a, const BurstRecord &b) {
    return a.sent_bytes == b.sent_bytes && a.r2t_wait == b.r2t_wait && a.burst_response == b.burst_response &&
           a.burst_data == b.burst_data;
}

} // namespace

const char *name(Role role) {
    static constexpr const char *names[role_count] = {"command",  "immediate_data", "r2t",
                                                      "data_out", "data_in",        "status"};
    return names[static_cast<std::size_t>(role)];
}

SenderOnFrame::SenderOnFrame(const TcpSampleRecord &s)
    : flight(s.flight.value_or(unknown)), flight_low(s.flight_low), flight_high(s.flight_high),
      cwnd(s.cwnd.value_or(unknown)), cwnd_low(s.cwnd_low), cwnd_high(s.cwnd_high.value_or(unknown)),
      receive_window(s.receive_window.value_or(unknown)), rtt_ns(s.rtt ? to_ns(*s.rtt) : -1),
      frame(static_cast<std::uint32_t>(s.frame)), direction(s.direction), state(s.state), limit(s.limit) {}

TcpSampleRecord SenderOnFrame::sample() const {
    const auto known = [](std::uint64_t bytes) {
        return bytes == unknown ? std::nullopt : std::optional(bytes);
    };
    TcpSampleRecord s;
    s.direction = direction;
    s.frame = frame;
    s.flight = known(flight);
    s.flight_low = flight_low;
    s.flight_high = flight_high;
    s.cwnd = known(cwnd);
    s.cwnd_low = cwnd_low;
    s.cwnd_high = known(cwnd_high);
    s.state = state;
    s.limit = limit;
    s.receive_window = known(receive_window);
    s.rtt = rtt_ns < 0 ? std::nullopt : std::optional(Duration(rtt_ns));
    return s;
}

void Store::put_findings(FindingsResult result) {
    findings_ = std::move(result);
    findings_at_.clear();
    for (const Finding &f : findings_->findings) {
        bool first = true;
        for (const EvidenceFrame &e : f.evidence)
            findings_at_.emplace(e.frame, FindingOnFrame{&f, &e, std::exchange(first, false)});
    }
}

void Store::unread(FrameNumber frame, const char *why) {
    if (unread_at_.size() < max_unread)
        unread_at_.emplace(frame, why);
}

void Store::name_unread_connections() {
    for (const ConnectionRecord &r : connections_)
        on_ports_.erase(r.stream);
    for (const auto &[stream, frame] : on_ports_)
        unread(frame, "A TCP connection on a port of iSCSI in which no iSCSI was found");
}

std::string Store::path_of(StreamId stream) const {
    return stream.number < streams_.size() && streams_[stream.number] ? streams_[stream.number]->path
                                                                      : "TCP stream " + to_string(stream);
}

bool Store::is_iscsi_port(std::uint16_t port) const {
    return port == 3260 || port == 860 || std::find(ports_.begin(), ports_.end(), port) != ports_.end();
}

void Store::note_port(StreamId stream, const Segment &segment) {
    if (stream.number < port_noted_.size() && port_noted_[stream.number])
        return;
    if (stream.number >= port_noted_.size())
        port_noted_.resize(stream.number + 1);
    port_noted_[stream.number] = true;
    if (on_ports_.size() < max_unread &&
        (is_iscsi_port(segment.source.port) || is_iscsi_port(segment.destination.port)))
        on_ports_.emplace(stream, segment.frame);
}

void Store::begin_frame(FrameNumber frame) {
    this_frame_.frame = frame;
    this_frame_.ended.clear();
    this_frame_.bursts.clear();
    this_frame_.burst_results.clear();
    this_frame_.gaps = gaps_.all().size();
    this_frame_.events = events_.size();
    this_frame_.anomalies = anomalies_.size();
}

void Store::subscribe(RecordTables &to) {
    Takes::subscribe(to);
    gaps_.subscribe(to);
    if (keeps_senders_)
        to.add<TcpSampleRecord>(*this);
}

void Store::on(const SegmentRecord &r) {
    const Segment &segment = r.segment;
    if (segment.payload_length == 0 || r.before_start || r.damaged)
        return;
    note_port(r.stream, segment);
    carried_.push_back({r.offset, static_cast<std::uint32_t>(segment.frame), segment.payload_length,
                        static_cast<std::uint32_t>(r.stream.number),
                        static_cast<std::uint32_t>(senders_.size()), r.sender});
}

Cycle &Store::cycle(CycleId number) {
    while (cycles_.size() <= number.number) // numbers are given in order, before the records that carry them
        cycles_.emplace_back();
    return cycles_[number.number];
}

void Store::on(const CycleBegun &begun) {
    Cycle &c = cycle(begun.cycle.cycle);
    if (!c.ended)
        c.record = begun.cycle;
}

void Store::on(const PduBegun &begun) {
    const std::optional<CycleId> number = begun.cycle;
    if (!number)
        return;
    const ConnectionFace &tcp = *begun.connection;
    const Pdu &pdu = begun.pdu;
    Cycle &c = cycle(*number);
    if (!c.record.command_frame && !c.ended) { // its command has not been seen
        c.record.cycle = *number;
        c.record.stream = tcp.stream;
        c.record.itt = static_cast<std::uint32_t>(pdu.view().initiator_task_tag());
    }
    if (tcp.stream.number >= streams_.size())
        streams_.resize(tcp.stream.number + 1);
    if (!streams_[tcp.stream.number]) {
        streams_[tcp.stream.number] = std::make_unique<Stream>();
        const Endpoint &opener = tcp.endpoints[0], &acceptor = tcp.endpoints[1];
        streams_[tcp.stream.number]->path = to_text(opener.address) + " to " + to_text(acceptor);
    }
    std::vector<Run> &runs = streams_[tcp.stream.number]->runs[index(tcp.sender(pdu.direction))];
    if (!runs.empty()) {
        if (pdu.offset < runs.back().begin)
            return;
        runs.back().end = std::min(runs.back().end, pdu.offset); // its end never came: boundaries were lost
    }
    const HeaderView v = pdu.view();
    Run run;
    run.begin = run.pdu = pdu.offset;
    run.end = pdu.end_offset;
    run.cycle = *number;
    switch (v.opcode()) {
    case Opcode::scsi_command:
        run.role = Role::command;
        if (pdu.data_length > 0) {
            run.end = std::min(run.begin + v.header_length(), pdu.end_offset);
            runs.push_back(run);
            run.begin = run.end;
            run.end = pdu.end_offset;
            run.role = Role::immediate_data;
            run.tag = static_cast<std::uint32_t>(TargetTransferTag::reserved);
        }
        break;
    case Opcode::data_in:
        run.role = pdu.data_length == 0 && v.status_bit() ? Role::status : Role::data_in;
        run.ends_with_status = v.status_bit();
        break;
    case Opcode::data_out:
        run.role = Role::data_out;
        run.tag = static_cast<std::uint32_t>(v.target_transfer_tag());
        run.buffer_offset = v.buffer_offset();
        break;
    case Opcode::r2t:
        run.role = Role::r2t;
        run.tag = v.r2t_sn().value;
        run.buffer_offset = v.buffer_offset();
        break;
    default:
        run.role = Role::status;
        break;
    }
    runs.push_back(run);
}

void Store::on(const PduRecord &r) {
    const Pdu &pdu = r.pdu;
    const StreamId stream = r.connection->stream;
    if (pdu.inferred) // the end of the capture, which is no frame, may confirm it as well
        inferred_at_.emplace(this_frame_.frame != 0 ? this_frame_.frame : pdu.delivered_frame,
                             InferredPdu{pdu.view().opcode(), pdu.last_frame});
    if (stream.number >= streams_.size() || !streams_[stream.number])
        return;
    for (std::vector<Run> &runs :
         streams_[stream.number]->runs) // it is known only now whether digests follow
        if (!runs.empty() && runs.back().pdu == pdu.offset &&
            (runs.back().role == Role::r2t || runs.back().role == Role::data_in ||
             runs.back().role == Role::status) == (pdu.direction == PduDirection::to_initiator))
            runs.back().end = pdu.end_offset;
}

void Store::on(const CycleEnded &end) {
    const CycleRecord &record = end.cycle;
    Cycle &c = cycle(record.cycle);
    const OptionalFrame before = c.ended ? c.record.end_frame : std::nullopt;
    c.record = record;
    this_frame_.ended.push_back(record.cycle);
    for (Burst &b : c.bursts)
        if (!b.shown)
            show_burst_now(b);
    if (c.ended && before == record.end_frame)
        return; // announced a second time: its command came after its answer
    c.ended = true;
    if (record.end_frame)
        ends_.emplace(*record.end_frame, &c);
    else if (!record.command_frame) // ended by the end of the capture
        ends_.emplace(record.first_data_frame.value_or(this_frame_.frame), &c);
    if (begins(c))
        begins_.emplace(*record.command_frame, &c);
}

void Store::on(const CycleRecord &record) {
    Cycle &c = cycle(record.cycle);
    c.record = record;
    c.ended = c.final = true;
}

Burst &Store::put_burst(const BurstRecord &record) {
    std::vector<Burst> &bursts = cycle(record.cycle).bursts;
    const auto place = std::find_if(bursts.rbegin(), bursts.rend(),
                                    [&](const Burst &b) { return b.record.burst == record.burst; });
    const OptionalFrame begin = record.r2t_frame ? record.r2t_frame : record.first_frame;
    bool late = begin.value_or(0) < this_frame_.frame;
    Burst *burst = nullptr;
    if (place != bursts.rend()) {
        burst = &*place;
        // What came before it is known only now, and no frame of its data is still to come.
        late = late && !burst->record.r2t_wait && record.r2t_wait &&
               record.last_frame.value_or(0) < this_frame_.frame;
        burst->shown = burst->shown && same_result(burst->record, record);
        burst->record = record;
    } else {
        burst = &bursts.emplace_back();
        burst->record = record;
    }
    if (late) { // its PDUs were cut, or behind a hole
        burst->late_frame = known_frame(this_frame_.frame);
        this_frame_.bursts.emplace_back(record.cycle, record.burst);
    }
    return *burst;
}

void Store::show_burst_now(Burst &burst) {
    burst.shown = true;
    this_frame_.burst_results.emplace_back(burst.record.cycle, burst.record.burst);
}

void Store::on(const BurstProgress &progress) {
    const BurstRecord &record = progress.burst;
    Burst &burst = put_burst(record);
    this_frame_.bursts.emplace_back(record.cycle, record.burst);
    if (!burst.shown && record.final_seen && record.sent_bytes >= record.desired_bytes.value_or(0))
        show_burst_now(burst);
}

void Store::on(const BurstRecord &record) {
    Burst &burst = put_burst(record);
    if (!burst.shown)
        show_burst_now(burst);
    const OptionalFrame end = record.last_frame ? record.last_frame : record.r2t_frame;
    if (const OptionalFrame frame = burst.late_frame ? burst.late_frame : end)
        burst_results_.emplace(*frame, std::pair{record.cycle, record.burst});
}

void Store::on(const TcpSampleRecord &sample) {
    senders_.emplace_back(sample);
}

void Store::on(const EventRecord &record) {
    events_.push_back(record);
    events_at_.emplace(record.frame, &events_.back());
}

void Store::on(const Anomaly &record) {
    anomalies_.push_back(record);
    if (record.frame)
        anomalies_at_.emplace(*record.frame, &anomalies_.back());
}

} // namespace iscsiscope::plugin
