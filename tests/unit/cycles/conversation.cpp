// SPDX-License-Identifier: GPL-2.0-or-later
#include "conversation.h"

#include "catch.h"

#include <algorithm>
#include <utility>

namespace iscsiscope::test {

const CycleRecord &Recording::cycle(std::uint64_t number) const {
    for (const CycleRecord &r : cycles)
        if (r.cycle.number == number)
            return r;
    FAIL("cycle " << number << " has no final record");
    return cycles.front();
}

std::size_t Recording::count(AnomalyKind kind) const {
    return static_cast<std::size_t>(std::count_if(
        anomalies.begin(), anomalies.end(), [&](const Anomaly &a) { return a.kind == kind; }));
}

Link::Link(CycleEngine &engine, std::uint64_t &frames, StreamId stream, std::uint32_t slot,
           const std::array<Endpoint, 2> &ends, std::optional<Duration> syn)
    : engine_(engine), frames_(&frames) {
    tcp.stream = stream;
    tcp.slot = slot;
    tcp.notes = &around->notes;
    around->hosts.join(around->pairs, ends[0].address, ends[1].address, 0);
    tcp.ends[0].seen = tcp.ends[1].seen = true;
    tcp.ends[0].endpoint = ends[0];
    tcp.ends[1].endpoint = ends[1];
    tcp.starts_with_syn = syn.has_value();
    if (syn)
        tcp.first_time = at(*syn);
    engine_.on_iscsi(tcp, Side::opener);
}

void Link::segment(Duration when, PduDirection d, std::uint64_t offset, std::uint32_t payload,
                   std::uint8_t flags, std::uint32_t new_bytes, bool acknowledge) {
    Segment s;
    s.frame = *frames_;
    s.time = at(when);
    s.payload_length = payload;
    s.flags = static_cast<std::uint8_t>(flags | tcp_ack);
    SegmentReport report;
    report.segment = &s;
    report.side = side(d);
    report.offset = report.first_new_offset = offset;
    report.new_bytes = new_bytes;
    report.repeats = payload > new_bytes;
    ConnectionEnd &acked = tcp.ends[index(other(report.side))];
    const std::uint64_t all = std::min(sent_[static_cast<std::size_t>(opposite(d))], ack_limit_);
    if (acknowledge && acked.acked_offset < all) {
        acked.acked_offset = all;
        report.ack_advanced = true;
    }
    around->hosts.note(around->pairs, report.side, s.time, payload, report.ack_advanced, true);
    const HostMoment moment = around->hosts.moment();
    tcp.hosts = &moment;
    engine_.on_segment(tcp, {report, nullptr, std::exchange(pdus_, false)});
    tcp.hosts = nullptr;
}

void Link::deliver(Duration when, PduDirection d, Pdu &pdu) {
    pdu.complete = pdu.delivered = at(when);
    pdu.last_frame = pdu.delivered_frame = *frames_;
    engine_.on_pdu(tcp, pdu);
    pdus_ = true;
    pdu.data = {};
    (void)d;
}

void Link::begin(Duration when, PduDirection d, const HeaderBytes &header) {
    ++*frames_;
    Pdu &pdu = open_[static_cast<std::size_t>(d)];
    pdu = {};
    pdu.direction = d;
    pdu.header = header;
    pdu.offset = sent(d);
    pdu.data_length = pdu.view().data_segment_length();
    pdu.end_offset = pdu.offset + pdu.view().pdu_length(false, false);
    pdu.frame = pdu.header_frame = *frames_;
    pdu.first_seen = pdu.header_delivered = at(when);
    sent_[static_cast<std::size_t>(d)] += basic_header_size;
    engine_.on_header(tcp, pdu);
    pdus_ = true;
    segment(when, d, pdu.offset, basic_header_size, 0, basic_header_size, acknowledges);
}

void Link::more(Duration when, PduDirection d, std::uint32_t bytes) {
    ++*frames_;
    const std::uint64_t offset = sent(d);
    sent_[static_cast<std::size_t>(d)] += bytes;
    Pdu &pdu = open_[static_cast<std::size_t>(d)];
    if (sent(d) == pdu.end_offset)
        deliver(when, d, pdu);
    segment(when, d, offset, bytes, 0, bytes, acknowledges);
}

void Link::send(Duration when, PduDirection d, const HeaderBytes &header, std::span<const std::byte> data) {
    ++*frames_;
    Pdu pdu;
    pdu.direction = d;
    pdu.header = header;
    pdu.offset = sent(d);
    pdu.data_length = pdu.view().data_segment_length();
    pdu.end_offset = pdu.offset + pdu.view().pdu_length(false, false);
    pdu.frame = pdu.header_frame = *frames_;
    pdu.first_seen = pdu.header_delivered = at(when);
    sent_[static_cast<std::size_t>(d)] = pdu.end_offset;
    const std::uint32_t wanted = engine_.on_header(tcp, pdu);
    pdu.data = data.first(std::min<std::size_t>(data.size(), wanted));
    deliver(when, d, pdu);
    const auto length = static_cast<std::uint32_t>(pdu.end_offset - pdu.offset);
    segment(when, d, pdu.offset, length, 0, length, acknowledges);
}

void Link::send_late(Duration seen, Duration reported, PduDirection d, const HeaderBytes &header) {
    Pdu pdu;
    pdu.header = header;
    pdu.first_seen = at(seen);
    report_late(reported, d, pdu);
}

void Link::send_unseen(Duration before, Duration reported, PduDirection d, const HeaderBytes &header) {
    Pdu pdu;
    pdu.header = header;
    pdu.first_seen = at(before);
    pdu.begins_unseen = pdu.inferred = true;
    pdu.unseen_bytes = static_cast<std::uint32_t>(pdu.view().pdu_length(false, false));
    report_late(reported, d, pdu);
}

void Link::report_late(Duration reported, PduDirection d, Pdu &pdu) {
    pdu.direction = d;
    pdu.offset = sent(d);
    pdu.data_length = pdu.view().data_segment_length();
    pdu.end_offset = pdu.offset + pdu.view().pdu_length(false, false);
    pdu.frame = *frames_;
    pdu.header_frame = ++*frames_;
    pdu.header_delivered = at(reported);
    sent_[static_cast<std::size_t>(d)] = pdu.end_offset;
    engine_.on_header(tcp, pdu);
    deliver(reported, d, pdu);
    segment(reported, d, pdu.end_offset, 0, 0, 0, false);
}

void Link::pass_behind_hole(Duration when, PduDirection d, std::uint32_t bytes) {
    ++*frames_;
    segment(when, d, sent(d), bytes, 0, bytes, acknowledges);
}

void Link::acknowledge(Duration when, PduDirection d) {
    ++*frames_;
    segment(when, d, sent(d), 0, 0, 0, true);
}

void Link::repeat(Duration when, PduDirection d, std::uint64_t offset, std::uint32_t bytes) {
    ++*frames_;
    segment(when, d, offset, bytes, 0, 0, false);
}

void Link::flag(Duration when, PduDirection d, std::uint8_t flags) {
    ++*frames_;
    segment(when, d, sent(d), 0, flags, 0, true);
}

void Link::sync_lost(PduDirection d) {
    engine_.on_sync_lost(tcp, d, sent(d));
}

void Link::login(Duration when, const Login &login) {
    Login l = login;
    l.accepted = l.finished = true;
    l.end = at(when);
    l.last_frame = *frames_;
    engine_.on_login(tcp, l);
}

void Link::close(Duration when, CloseReason reason) {
    tcp.last_time = at(when);
    engine_.on_close(tcp, reason, at(when), *frames_);
}

namespace {

void big_endian(std::byte *p, std::uint32_t v) {
    for (int i = 3; i >= 0; --i, v >>= 8)
        p[i] = std::byte(v & 0xff);
}

ScsiCommand command(std::uint32_t itt, std::uint32_t cmd_sn, std::uint32_t bytes) {
    ScsiCommand c;
    c.initiator_task_tag = InitiatorTaskTag{itt};
    c.cmd_sn = CmdSn{cmd_sn};
    c.expected_data_transfer_length = bytes;
    big_endian(&c.cdb[2], itt * 16);
    c.cdb[7] = std::byte(bytes / 512 >> 8);
    c.cdb[8] = std::byte(bytes / 512 & 0xff);
    return c;
}

} // namespace

HeaderBytes read_command(std::uint32_t itt, std::uint32_t cmd_sn, std::uint32_t bytes, std::uint64_t lun) {
    ScsiCommand c = command(itt, cmd_sn, bytes);
    c.read = true;
    c.cdb[0] = std::byte{0x28};
    c.lun = Lun{lun};
    return c.encode();
}

HeaderBytes write_command(std::uint32_t itt, std::uint32_t cmd_sn, std::uint32_t bytes,
                          std::uint32_t immediate, bool final) {
    ScsiCommand c = command(itt, cmd_sn, bytes);
    c.write = true;
    c.final = final;
    c.data_segment_length = immediate;
    c.cdb[0] = std::byte{0x2a};
    return c.encode();
}

HeaderBytes test_unit_ready(std::uint32_t itt, std::uint32_t cmd_sn) {
    ScsiCommand c;
    c.initiator_task_tag = InitiatorTaskTag{itt};
    c.cmd_sn = CmdSn{cmd_sn};
    return c.encode();
}

HeaderBytes data_in(std::uint32_t itt, std::uint32_t sn, std::uint32_t bytes, bool status,
                    std::uint32_t max_cmd_sn) {
    DataIn d;
    d.initiator_task_tag = InitiatorTaskTag{itt};
    d.data_sn = DataSn{sn};
    d.data_segment_length = bytes;
    d.final = d.has_status = status;
    d.exp_cmd_sn = CmdSn{1};
    d.max_cmd_sn = CmdSn{max_cmd_sn};
    return d.encode();
}

HeaderBytes data_out(std::uint32_t itt, std::uint32_t ttt, std::uint32_t sn, std::uint32_t bytes,
                     bool final) {
    DataOut d;
    d.initiator_task_tag = InitiatorTaskTag{itt};
    d.target_transfer_tag = TargetTransferTag{ttt};
    d.data_sn = DataSn{sn};
    d.data_segment_length = bytes;
    d.final = final;
    return d.encode();
}

HeaderBytes r2t(std::uint32_t itt, std::uint32_t ttt, std::uint32_t sn, std::uint32_t offset,
                std::uint32_t bytes) {
    R2t r;
    r.initiator_task_tag = InitiatorTaskTag{itt};
    r.target_transfer_tag = TargetTransferTag{ttt};
    r.r2t_sn = DataSn{sn};
    r.buffer_offset = offset;
    r.desired_data_transfer_length = bytes;
    r.exp_cmd_sn = CmdSn{1};
    r.max_cmd_sn = CmdSn{1000};
    return r.encode();
}

HeaderBytes response(std::uint32_t itt, std::uint8_t status, std::uint32_t sense_bytes, std::uint8_t code,
                     std::uint32_t max_cmd_sn) {
    ScsiResponse r;
    r.initiator_task_tag = InitiatorTaskTag{itt};
    r.status = status;
    r.response = code;
    r.data_segment_length = sense_bytes;
    r.exp_cmd_sn = CmdSn{1};
    r.max_cmd_sn = CmdSn{max_cmd_sn};
    return r.encode();
}

HeaderBytes management(std::uint32_t itt, TaskManagementFunction function, std::uint32_t referenced,
                       std::uint64_t lun) {
    TaskManagementRequest r;
    r.immediate = true;
    r.function = function;
    r.initiator_task_tag = InitiatorTaskTag{itt};
    r.referenced_task_tag = InitiatorTaskTag{referenced};
    r.lun = Lun{lun};
    return r.encode();
}

HeaderBytes management_response(std::uint32_t itt, std::uint8_t code) {
    TaskManagementResponse r;
    r.initiator_task_tag = InitiatorTaskTag{itt};
    r.response = code;
    return r.encode();
}

Duration sum(const Phases &p) {
    return p.command + p.first_data_wait + p.data + p.unsolicited + p.r2t_wait + p.burst_response +
           p.burst_data + p.status_wait;
}

} // namespace iscsiscope::test
