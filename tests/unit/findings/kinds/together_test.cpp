// SPDX-License-Identifier: GPL-2.0-or-later
// Two faults at once: neither hides the other, and the costlier comes first.
#include "catch.h"
#include "findings/made_facts.h"

#include "analyzer/findings/rating.h"

#include <chrono>

namespace iscsiscope {

using namespace std::chrono_literals;

TEST_CASE("a command window that is closed while another fault costs the time stands behind it") {
    Facts f = one_connection();
    own(f.connections[0].to_initiator).lost_behind_tap = 4;
    wait(f, waits::timeout, 200ms, 4);
    wait(f, waits::command_window, 5ms, 10);
    SessionFigures s;
    WindowFigures &w = s.windows.emplace_back();
    w.closings_waiting = 60;
    w.closed_waiting = 900ms;
    w.closed_waiting_share = 0.9;
    w.granted_max = 2;
    const FindingsResult r = found(f, &s);
    REQUIRE(r.findings.size() >= 2);
    CHECK(r.findings[0].kind == FindingKind::retransmission_timeout);
    const Finding *window = r.find(FindingKind::command_window);
    REQUIRE(window != nullptr);
    CHECK(window->severity == Severity::problem);
    CHECK(window->task_share == Approx(0.2)); // what the timeouts leave
}

TEST_CASE("a receive window is held against the rate outside other faults") {
    const auto is_small = [](int timeouts) {
        Facts f = one_connection(); // 80 kB each 4 ms allow 20 MB/s
        TcpDirectionFigures &d = own(f.connections[0].to_initiator);
        d.window_full.add(3ms, 5);
        d.largest_window = 80'000;
        d.smallest_window = 30'000;
        d.lost_behind_tap = 4;
        wait(f, waits::window_closed, 5ms, 22);
        wait(f, waits::timeout, 170ms, timeouts);
        ModelInput m;
        m.measured_throughput = 4e6;
        f.models.push_back(m);
        return found(f).find(FindingKind::small_receive_window) != nullptr;
    };
    CHECK(is_small(5)); // 27 MB/s while no timeout was waited for
    CHECK_FALSE(is_small(0));
}

TEST_CASE("three stalls are a problem, also where they follow each other soon") {
    Finding f;
    f.third_wait = 600ms;
    f.times.intervals.push_back({time_from_ns(0), time_from_ns(0) + 2500ms, {}, 2300ms, 0.92});
    CHECK(stalls(f));
    f.times.intervals[0].share = 0.5; // on one of two connections
    CHECK_FALSE(stalls(f));
    f.times.intervals[0].share = 0.92;
    f.times.intervals[0].lost = 1200ms;
    CHECK_FALSE(stalls(f));
    f.times.intervals.push_back({time_from_ns(0) + 4s, time_from_ns(0) + 4700ms, {}, 700ms, 1.0});
    CHECK(stalls(f));
    f.third_wait = 400ms;
    CHECK_FALSE(stalls(f));
}

} // namespace iscsiscope
