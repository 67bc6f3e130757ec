// SPDX-License-Identifier: GPL-2.0-or-later
// Facts made up for the rules.
#pragma once

#include "analyzer/findings/facts/wait_cause.h"
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
    f.response = 1s;
    return f;
}

inline void wait(Facts &f, WaitCause cause, Duration each, int times) {
    const CycleRecord t = task(TaskType::read);
    GapRecord g = gap(GapKind::unclassified, each);
    if (cause == WaitCause::host_idle) // no task is open
        g.without_task = each;
    for (int i = 0; i < times; ++i) {
        f.connections[0].waits[cause].add(g, &t);
        if (cause == WaitCause::host_idle)
            note_pause(f.connections[0], each);
    }
}

inline FindingsResult found(const Facts &f, const SessionFigures *sessions = nullptr) {
    FindingsInput in;
    in.facts = &f;
    in.sessions = sessions;
    return manner_checked(find_causes(in));
}

} // namespace iscsiscope::made
