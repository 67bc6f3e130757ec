// SPDX-License-Identifier: GPL-2.0-or-later
// Facts in which findings on sessions, logins, paths and the capture itself are found.
#include "analyzer/sessions/figures/session_figures.h"
#include "cases.h"
#include "findings/made_facts.h"
#include "findings/made_wire.h"

namespace iscsiscope::made {

namespace {

const Endpoint initiator = host(1, 40001), portal = host(2, 3260), second_portal = host(3, 3260);

} // namespace

FindingsResult words_of_nop_timeout() {
    const Facts f = one_connection();
    SessionFigures s;
    NopFigures &n = s.nops.emplace_back();
    n.asked_by_initiator = n.unanswered = 1;
    n.rows.emplace_back();
    return found(f, &s);
}

FindingsResult words_of_abort_storm() {
    Facts f = one_connection();
    f.events[{Opcode::task_management_request, std::uint8_t{1}}].count = 3; // ABORT TASK
    f.outcomes[static_cast<std::size_t>(TaskOutcome::aborted)] = {3, 3, 30, 40, 5s};
    return found(f);
}

FindingsResult words_of_path_imbalance() {
    SessionFigures s;
    PathGroup &g = s.path_groups.emplace_back();
    g.paths.resize(2);
    g.paths[0].tasks = 95, g.paths[0].bytes = 9500, g.paths[0].byte_share = 0.95;
    g.paths[1].tasks = 5, g.paths[1].bytes = 500, g.paths[1].byte_share = 0.05;
    g.by_bytes.jain = 0.55;
    return found(one_connection(), &s);
}

FindingsResult words_of_connection_imbalance() {
    SessionFigures s;
    ThroughputFigures &t = s.throughput.emplace_back();
    t.streams = {0, 1};
    t.totals.resize(2);
    t.totals[0].stream_bytes = 1'000'000;
    t.totals[1].stream_bytes = 40'000'000;
    t.totals[0].tasks = t.totals[1].tasks = 20;
    t.total_rate.jain = 0.5;
    return found(one_connection(), &s);
}

FindingsResult words_of_mirror_laggard() {
    SessionFigures s;
    MirrorPair &m = s.mirrors.emplace_back();
    m.pairs = 20;
    m.members[0].held_share = 0.95;
    m.members[0].held = 180ms;
    for (int i = 0; i < 20; ++i) {
        m.skew.add(9 * 1'000'000);
        m.members[0].response_time.add(12 * 1'000'000);
        m.members[1].response_time.add(3 * 1'000'000);
    }
    return found(one_connection(), &s);
}

FindingsResult words_of_portal_unreachable() {
    Wire wire;
    for (int i = 0; i < 3; ++i) {
        wire.syn(i * 4s, initiator, portal);
        wire.refuse(i * 4s + 1ms, initiator, portal);
    }
    return wire.result();
}

FindingsResult words_of_target_moved() {
    Wire wire;
    wire.login(0s, initiator, portal, 1, 2, "10.0.0.3:3260,1");
    wire.login(10ms, host(1, 40002), second_portal, 0, 0);
    return wire.result();
}

FindingsResult words_of_login_trouble() {
    Wire wire;
    wire.login(0s, initiator, portal, 2, 3);
    return wire.result();
}

FindingsResult words_of_discovery_trouble() {
    Facts f = one_connection();
    ConnectionFacts &k = f.connections[0];
    k.record.initiator = initiator, k.record.target = portal;
    k.record.outcome = ConnectionOutcome::closed;
    k.record.end = time_from_ns(20'000'000'000);
    SessionFigures s;
    DiscoveryFigures &d = s.discoveries.emplace_back();
    d.initiator = initiator, d.target = portal;
    d.discovery = true;
    d.requests = 1;
    d.open_since = time_from_ns(0);
    d.open_request = 8;
    return found(f, &s);
}

FindingsResult words_of_shared_writes() {
    SessionFigures s;
    SharedWrites &w = s.shared_writes.emplace_back();
    w.target = portal;
    w.hosts = {"iqn.2000-01.test:a", "iqn.2000-01.test:b"};
    w.addresses = {host(1, 0).address, host(4, 0).address};
    w.in_turn = 12;
    w.at_once = 2;
    w.by_designator = true;
    return found(one_connection(), &s);
}

// Commands to LUN 0 that end with this sense data, 10 ms one after the other.
static Facts refused(std::uint8_t opcode, TaskType type, std::uint32_t sense, int times) {
    Facts f = one_connection();
    CycleRecord r = task(type);
    r.opcode = opcode;
    r.lba = 2048;
    r.outcome = TaskOutcome::check_condition;
    r.sense = sense;
    for (int i = 0; i < times; ++i) {
        r.start = time_from_ns(i * 10'000'000);
        r.end = r.start + 1ms;
        r.response_time = 1ms;
        r.status_frame = static_cast<FrameNumber>(30 + i);
        f.refusals.add(r);
        f.senses[sense].add(r);
    }
    return f;
}

FindingsResult words_of_lun_missing() {
    return found(refused(0x28, TaskType::read, 0x052500, 20));
}

FindingsResult words_of_space_exhausted() {
    return found(refused(0x2a, TaskType::write, 0x072707, 30));
}

FindingsResult words_of_config_changes() {
    return found(refused(0x28, TaskType::read, 0x062a09, 40));
}

// The target rejects a NOP-Out whose tag it never sent, and closes the connection.
FindingsResult words_of_protocol_violation() {
    Wire wire;
    auto [out, back] = wire.login(0s, initiator, portal, 0, 0);
    NopOut answer;
    answer.immediate = true;
    answer.initiator_task_tag = InitiatorTaskTag::reserved;
    answer.target_transfer_tag = TargetTransferTag{7};
    answer.cmd_sn = CmdSn{1};
    answer.exp_stat_sn = StatSn{1};
    const HeaderBytes rejected = answer.encode();
    wire.pdu(1s, out, back, rejected, {});
    Reject reject;
    reject.reason = 4;
    reject.stat_sn = StatSn{1};
    reject.exp_cmd_sn = CmdSn{1};
    reject.max_cmd_sn = CmdSn{32};
    wire.pdu_with(1s + 1ms, back, out, reject.encode(), {rejected.begin(), rejected.end()});
    wire.segment(1s + 2ms, back, tcp_fin | tcp_ack);
    wire.login(3s, host(1, 40002), portal, 0, 0);
    return wire.result();
}

FindingsResult words_of_access_trouble() {
    Facts f = one_connection();
    f.outcomes[static_cast<std::size_t>(TaskOutcome::reservation_conflict)] = {6, 6, 3, 4, 1ms};
    return found(f);
}

FindingsResult words_of_capture_quality() {
    Facts f = one_connection();
    ConnectionRecord &r = f.connections[0].record;
    r.bytes_to_target = 1000;
    r.bytes_to_initiator = 9000;
    r.segments_to_target = r.segments_to_initiator = 10;
    r.unseen_to_initiator = 6000;
    own(f.connections[0].to_target).pure_acks = 10;
    return found(f);
}

} // namespace iscsiscope::made
