// SPDX-License-Identifier: GPL-2.0-or-later
// Connections that broke, and what came before and after: facts for the rules that tell such stories apart.
#pragma once

#include "analyzer/sessions/figures/session_figures.h"
#include "findings/made_facts.h"
#include "findings/made_wire.h"

namespace iscsiscope::made {

inline constexpr std::int64_t milliseconds = 1'000'000;

inline Time at_ms(std::int64_t ms) {
    return time_from_ns(ms * milliseconds);
}

inline constexpr MacAddress usual_mac{2, 0, 0, 0, 0, 0x14}, other_mac{2, 0, 0, 0, 0, 0x99};

// A connection from `initiator` that logged in at this time (ms) and worked for a second, both ends seen.
inline ConnectionFacts worked(std::uint64_t stream, std::int64_t at,
                              const Endpoint &initiator = host(1, 40001),
                              const Endpoint &target = host(2, 3260)) {
    ConnectionFacts c = one_connection().connections[0];
    ConnectionRecord &r = c.record;
    r.stream = StreamId{stream};
    r.initiator = initiator;
    r.target = target;
    r.start = at_ms(at);
    r.end = at_ms(at + 1000);
    r.first_frame = 100 * (stream + 1);
    r.last_frame = r.first_frame + 90;
    r.tasks = 20;
    r.segments_to_target = r.segments_to_initiator = 40;
    Login l = login((at + 1) * milliseconds, 1);
    l.end = at_ms(at + 2);
    l.first_frame = r.first_frame + 4;
    l.last_frame = r.first_frame + 5;
    r.login = l;
    c.last_answer = r.first_frame + 50;
    c.last_answered = at_ms(at + 500);
    for (FinalDirectionFigures *d : {&c.to_target, &c.to_initiator}) {
        SenderFace &face = own(*d).face;
        face.mac = usual_mac;
        face.min_ttl = face.max_ttl = 64;
        face.any = true;
        face.pause_before = 10ms;
        face.last = at_ms(at + 500);
    }
    return c;
}

// The first FIN or RST of one end.
inline void fin(ConnectionFacts &c, bool by_target, FrameNumber frame, std::int64_t at) {
    TcpDirectionFigures &d = own(by_target ? c.to_initiator : c.to_target);
    d.fin_frame = frame;
    d.fin_time = at_ms(at);
    c.record.outcome = ConnectionOutcome::closed;
}
inline TcpDirectionFigures &rst(ConnectionFacts &c, bool by_target, FrameNumber frame, std::int64_t at) {
    TcpDirectionFigures &d = own(by_target ? c.to_initiator : c.to_target);
    d.reset_frame = frame;
    d.reset_time = at_ms(at);
    d.reset_face = {d.face.mac, 64};
    c.record.outcome = ConnectionOutcome::reset;
    return d;
}
inline void open_read(ConnectionFacts &c, Duration oldest) {
    c.lost_tasks = {1, 1, 0, oldest, c.record.first_frame + 60};
}

inline Facts facts_of(std::vector<ConnectionFacts> connections) {
    Facts f = one_connection();
    f.connections.clear();
    for (ConnectionFacts &c : connections)
        f.connections.push_back(std::move(c));
    return f;
}

// Hosts log in in turn every 2 s, and the target sends FIN to the one before.
inline Facts hosts_in_turn(std::size_t times, std::size_t hosts = 2) {
    std::vector<ConnectionFacts> all;
    for (std::size_t i = 0; i < times; ++i) {
        const auto at = static_cast<std::int64_t>(2000 * i);
        all.push_back(worked(i, at, host(static_cast<std::uint8_t>(10 + i % hosts), 40001)));
        if (i > 0)
            fin(all[i - 1], true, all[i].record.first_frame + 6, at + 3);
    }
    return facts_of(std::move(all));
}

// Silence from 500 ms on, an RST of the target at 6700 ms, refused attempts every 3 s from 8 s on, a new
// login at 38 s that meets UNIT ATTENTION 29/00.
inline Facts restarted(std::size_t refused = 10, bool attention = true) {
    ConnectionFacts before = worked(0, 0), after = worked(1, 38'000, host(1, 40002));
    open_read(before, 6200ms);
    rst(before, true, 160, 6700);
    before.record.end = at_ms(6700);
    if (attention)
        after.reset_attention = ResetAttention{0x062900, 220, at_ms(38'005)};
    Facts f = facts_of({before, after});
    PortalFacts &p = f.portals.emplace_back();
    p.portal = host(2, 3260);
    p.known_port = true;
    p.accepted = 2;
    p.refused = refused;
    p.accepted_at = {at_ms(0), at_ms(38'000)};
    for (std::size_t i = 0; i < refused; ++i)
        p.failed.push_back({at_ms(8000 + 3000 * static_cast<std::int64_t>(i)),
                            at_ms(8001 + 3000 * static_cast<std::int64_t>(i)), true, 170 + i});
    return f;
}

// An RST with the target's address answers a Read after 150 us; the host logs in again.
inline Facts foreign(const PacketFace &face) {
    ConnectionFacts before = worked(0, 0), after = worked(1, 3000, host(1, 40002));
    before.record.rtt_to_target = 200us;
    open_read(before, 150us);
    own(before.to_target).face.last = at_ms(1000);
    TcpDirectionFigures &d = rst(before, true, 160, 1000);
    d.reset_time = at_ms(1000) + 150us;
    d.reset_face = face;
    return facts_of({before, after});
}

// The target sends FIN with a Read open, which the initiator answers with RST; the host logs in again.
inline Facts closed_by_target() {
    ConnectionFacts before = worked(0, 0), after = worked(1, 3000, host(1, 40002));
    open_read(before, 2ms);
    rst(before, false, 161, 1001);
    fin(before, true, 160, 1000);
    before.record.outcome = ConnectionOutcome::reset;
    return facts_of({before, after});
}

// Two paths; a Read of the first gets no answer from 500 ms on, the connection ends after 10 s, and 15 s
// later the Read is sent again on the second path.
struct TwoPaths {
    Facts facts;
    SessionFigures sessions;
};
inline TwoPaths failed_over() {
    TwoPaths t;
    ConnectionFacts a = worked(0, 0), b = worked(1, 0, host(5, 40001), host(6, 3260));
    open_read(a, 10s);
    rst(a, false, 160, 10'500);
    a.record.end = at_ms(10'500);
    t.facts = facts_of({a, b});
    Failover f;
    f.from = StreamId{0};
    f.to = StreamId{1};
    f.commands = 1;
    f.type = TaskType::read;
    f.lost_frame = 159;
    f.again_frame = 180;
    f.lost = at_ms(500);
    f.again = at_ms(25'500);
    f.given_up = at_ms(10'500);
    f.quiet = 24s;
    t.sessions.paths.failovers.push_back(f);
    NopFigures &n = t.sessions.nops.emplace_back();
    n.stream = StreamId{0};
    n.asked_by_initiator = n.unanswered = 1;
    n.rows.emplace_back();
    return t;
}

} // namespace iscsiscope::made
