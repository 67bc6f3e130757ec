// SPDX-License-Identifier: GPL-2.0-or-later
// Facts made up for the rules.
#pragma once

#include "analyzer/findings/findings_input.h"
#include "findings/manner_checked.h"

#include <chrono>
#include <memory>
#include <utility>

namespace iscsiscope::made {

using namespace std::chrono_literals;

inline GapRecord gap(GapKind kind, Duration length, Duration to_awaited = {}, Duration to_other = {}) {
    GapRecord g;
    g.kind = kind;
    g.length = g.active_part = length;
    g.in_active_life = true;
    g.before_frame = 10;
    g.after_frame = 11;
    g.rtt_to_awaited = to_awaited;
    g.rtt_to_other = to_other;
    return g;
}

inline CycleRecord task(TaskType type, std::uint32_t r2ts = 0) {
    CycleRecord r;
    r.type = type;
    r.r2t_count = r2ts;
    r.bytes_moved = 65536;
    r.queue_depth = 1;
    r.outcome = TaskOutcome::good;
    return r;
}

// The figures of one direction, to be changed: a copy that only these facts have.
inline TcpDirectionFigures &own(FinalDirectionFigures &figures) {
    auto copy = std::make_shared<TcpDirectionFigures>(*figures);
    figures = copy;
    return *copy;
}

// An accepted login, which takes 5 ms from this time (ns) on.
inline Login login(std::int64_t start, std::uint16_t tsih) {
    Login l;
    l.accepted = l.finished = true;
    l.initiator_name = "iqn.example:host";
    l.target_name = "iqn.example:disk";
    l.session_type = "Normal";
    l.isid = {0, 2, 61, 0, 0, 1};
    l.tsih = tsih;
    l.start = time_from_ns(start);
    l.end = time_from_ns(start + 5'000'000);
    l.first_frame = 60;
    return l;
}

// One connection, a second of active life.
inline Facts one_connection() {
    Facts f;
    ConnectionFacts c;
    c.record.active_start = time_from_ns(0);
    c.record.active_end = time_from_ns(1'000'000'000);
    c.record.rtt_to_initiator = 10us;
    c.record.rtt_to_target = 4ms;
    c.record.capture_position = CapturePosition{0.0, 0.0, 0.0};
    c.record.outcome = ConnectionOutcome::open;
    c.to_target = std::make_shared<TcpDirectionFigures>();
    c.to_initiator = std::make_shared<TcpDirectionFigures>();
    f.connections.push_back(std::move(c));
    f.types[0].count = f.types[1].count = 100;
    f.types[0].bytes = f.types[1].bytes = 6553600;
    f.types[0].data_pdus = f.types[1].data_pdus = 100;
    f.types[static_cast<std::size_t>(TaskType::control)].response = 1s;
    return f;
}

// Entries of the ledger that a rule may meet: their cause, their owner and the kind of their gap.
namespace waits {
inline const WaitKey path_down{Cause::path_down, Owner::network, GapKind::path_down};
inline const WaitKey timeout{Cause::retransmission_timeout, Owner::network, GapKind::retransmission_timeout};
inline const WaitKey outage{Cause::outage, Owner::network, GapKind::path_down};
inline const WaitKey recovery{Cause::fast_retransmit, Owner::network, GapKind::fast_retransmit};
inline const WaitKey window_closed{Cause::window_closed, Owner::network, GapKind::window_closed};
inline const WaitKey delayed_ack{Cause::delayed_ack, Owner::host, GapKind::delayed_ack};
inline const WaitKey nagle{Cause::ack_held_status, Owner::network, GapKind::ack_held_status};
inline const WaitKey congestion_window{Cause::cwnd_limited, Owner::network, GapKind::cwnd_limited};
inline const WaitKey send_buffer{Cause::send_buffer, Owner::network, GapKind::send_buffer};
inline const WaitKey slow_start{Cause::slow_start, Owner::network, GapKind::cwnd_limited};
inline const WaitKey command_window{Cause::command_window, Owner::target, GapKind::command_window};
inline const WaitKey target_time{Cause::target_first_data, Owner::target, GapKind::target_first_data};
inline const WaitKey held_pause{Cause::queueing, Owner::network, GapKind::target_data}; // within Data-In
inline const WaitKey round_trip{Cause::round_trip, Owner::network, GapKind::target_first_data};
inline const WaitKey r2t_chain{Cause::r2t_chain, Owner::network, GapKind::target_r2t};
inline const WaitKey r2t_single{Cause::r2t_single, Owner::network, GapKind::target_r2t};
inline const WaitKey r2t_answer{Cause::initiator_burst, Owner::host, GapKind::initiator_burst};
} // namespace waits

inline LedgerEntry entry(const WaitKey &key, Duration length, std::uint64_t stream = 0) {
    static FrameNumber frame = 0;
    LedgerEntry e;
    e.stream = StreamId{stream};
    e.cause = key.cause;
    e.owner = key.owner;
    e.gap = key.gap;
    e.length = e.wait = length;
    e.before_frame = ++frame; // each of a wait of its own
    e.after_frame = frame + 1;
    e.depth = 1;
    return e;
}

inline void wait(ConnectionFacts &c, const WaitKey &key, Duration each, int times = 1) {
    for (int i = 0; i < times; ++i) {
        const LedgerEntry e = entry(key, each, c.record.stream.number);
        c.waits[WaitKey(e)].add(e);
    }
}

inline void wait(Facts &f, const WaitKey &key, Duration each, int times) {
    wait(f.connections[0], key, each, times);
}

// Pauses without a task.
inline void pause(Facts &f, Duration each, int times) {
    GapRecord g = gap(GapKind::initiator_idle, each);
    g.without_task = each;
    for (int i = 0; i < times; ++i)
        f.connections[0].idle.add(g);
}

inline FindingsResult found(const Facts &f, const SessionFigures *sessions = nullptr) {
    FindingsInput in;
    in.facts = &f;
    in.sessions = sessions;
    return manner_checked(find_causes(in));
}

} // namespace iscsiscope::made
