// SPDX-License-Identifier: GPL-2.0-or-later
// Random traffic: whatever PDUs pass on a connection, no task is lost and all partitions are exact.
#include "catch.h"

#include "analyzer/cycles/tasks/phases.h"
#include "conversation.h"

#include <algorithm>
#include <map>
#include <rapidcheck.h>
#include <set>

using namespace iscsiscope;
using namespace iscsiscope::test;

namespace {

// Any PDU of tasks with few different tags, at any moment, whole or in two frames. Adds to `repeats` when
// bytes of the target pass again that the initiator has not acknowledged.
void say_anything(Link &link, Duration &now, std::uint32_t &cmd_sn, std::vector<Time> &repeats) {
    now += std::chrono::microseconds(*rc::gen::inRange(0, 400));
    const auto itt = *rc::gen::inRange<std::uint32_t>(1, 5);
    const auto ttt = *rc::gen::inRange<std::uint32_t>(1, 3);
    const auto sn = *rc::gen::inRange<std::uint32_t>(0, 3);
    HeaderBytes header{};
    PduDirection d = to_initiator;
    switch (*rc::gen::inRange(0, 12)) {
    case 0:
        header = read_command(itt, cmd_sn++, 4096);
        d = to_target;
        break;
    case 1:
        header = write_command(itt, cmd_sn++, 4096, sn * 512, sn == 0);
        d = to_target;
        break;
    case 2:
        header = test_unit_ready(itt, cmd_sn++);
        d = to_target;
        break;
    case 3:
        header = data_in(itt, sn, 1024, sn == 1);
        break;
    case 4:
    case 5:
        header = r2t(itt, ttt, sn, 0, 1024);
        break;
    case 6:
    case 7:
        header = data_out(itt, sn == 0 ? 0xffffffff : ttt, sn, 512, sn == 1);
        d = to_target;
        break;
    case 8:
        header = response(itt, sn == 1 ? 2 : 0);
        break;
    case 9:
        if (link.tcp.ends[1].acked_offset < 48)
            repeats.push_back(at(now));
        link.repeat(now, d, 0, 48);
        now += 1ns; // what follows is later, not at the same time
        return;
    case 10:
        header = management(
            77, sn == 0 ? TaskManagementFunction::abort_task : TaskManagementFunction::logical_unit_reset,
            itt);
        d = to_target;
        break;
    default:
        header = management_response(77);
        break;
    }
    const std::uint32_t data = HeaderView(header).data_segment_length();
    if (data == 0 || *rc::gen::arbitrary<bool>()) {
        link.send(now, d, header);
        return;
    }
    link.begin(now, d, header);
    now += std::chrono::microseconds(*rc::gen::inRange(0, 400));
    link.more(now, d, data);
}

void check_cycle(const CycleRecord &r) {
    RC_ASSERT(r.end >= r.start);
    RC_ASSERT(r.has_phases == r.response_time.has_value());
    if (r.has_phases) {
        const Phases &p = r.phases;
        RC_ASSERT(sum(p) == *r.response_time);
        RC_ASSERT(*r.response_time == r.end - r.start);
        for (const Duration phase : {p.command, p.first_data_wait, p.data, p.unsolicited, p.r2t_wait,
                                     p.burst_response, p.burst_data, p.status_wait})
            RC_ASSERT(phase >= Duration{});
        RC_ASSERT(r.cycle_time.has_value() == r.next_command_wait.has_value());
        if (r.cycle_time)
            RC_ASSERT(*r.cycle_time == sum(p) + *r.next_command_wait);
    }
    RC_ASSERT((r.outcome == TaskOutcome::no_command) == !r.cmd_sn.has_value());
    RC_ASSERT(r.idle.has_value());
}

// The gap time inside [from, to], from the reported gaps.
Duration overlap(const std::vector<GapRecord> &gaps, Time from, Time to, std::uint32_t &count) {
    Duration sum{};
    count = 0;
    for (const GapRecord &gap : gaps) {
        const Duration part = std::min(to, gap.start + gap.length) - std::max(from, gap.start);
        if (part > Duration{}) {
            sum += part;
            ++count;
        }
    }
    return sum;
}

// The part of the active life in which no cycle is open, less `way` behind each end. repeats: when bytes of
// the target passed again that the initiator had not acknowledged; an end before counts from then on.
Duration without_task(const std::vector<CycleRecord> &cycles, const ConnectionRecord &c, Duration way,
                      const std::vector<Time> &repeats) {
    std::vector<std::pair<Time, Time>> open;
    for (const CycleRecord &r : cycles)
        open.emplace_back(r.start, r.end);
    std::sort(open.begin(), open.end());
    Duration sum{};
    Time reached = *c.active_start;
    for (const auto &[from, to] : open) {
        if (to < *c.active_start)
            continue;
        for (const Time repeat : repeats)
            if (repeat <= from)
                reached = std::max(reached, repeat);
        sum += std::max(Duration{}, from - reached - way);
        reached = std::max(reached, to);
    }
    return sum;
}

} // namespace

TEST_CASE("no task is dropped and every partition is exact, whatever is said") {
    REQUIRE(rc::check(
        "random PDUs",
        [] {
            Scene scene;
            Link &link = scene.connect();
            const Duration way{*rc::gen::inRange(0, 300'000)};
            link.tcp.ends[0].rtt.minimum = way;
            Duration now{};
            std::uint32_t cmd_sn = 1;
            std::vector<Time> repeats;
            const int steps = *rc::gen::inRange(1, 60);
            for (int i = 0; i < steps; ++i)
                say_anything(link, now, cmd_sn, repeats);
            link.close(now + 1ms,
                       *rc::gen::element(CloseReason::capture_end, CloseReason::fin, CloseReason::reset));

            // Numbered from 0 without a hole, each ended once and final once.
            std::set<CycleId> numbers;
            for (const CycleRecord &r : scene.sink.cycles) {
                RC_ASSERT(numbers.insert(r.cycle).second);
                check_cycle(r);
            }
            RC_ASSERT((numbers.empty() || numbers.rbegin()->number + 1 ==
                                              numbers.size())); // RC_ASSERT(a || b) has no short circuit
            RC_ASSERT(scene.sink.ends.size() >= numbers.size());
            const ConnectionRecord &c = scene.sink.connections.at(0);
            RC_ASSERT(c.tasks == numbers.size());

            // A burst stands just before its cycle, and only bursts of known cycles exist.
            for (const BurstRecord &b : scene.sink.bursts)
                RC_ASSERT(numbers.count(b.cycle) == 1);

            if (c.active_start) {
                Duration all = c.transfer, reported{};
                for (const Duration d : c.gap_time)
                    all += d;
                for (const GapRecord &gap : scene.sink.gaps) {
                    RC_ASSERT(gap.active_part <= gap.length);
                    reported += gap.active_part;
                }
                RC_ASSERT(c.transfer >= Duration{});
                RC_ASSERT(all == *c.active_end - *c.active_start);
                RC_ASSERT(reported == all - c.transfer);
                RC_ASSERT(*c.busy() + *c.without_task == all);
                RC_ASSERT(*c.without_task == without_task(scene.sink.cycles, c, way, repeats));
            }
            // Gaps in order of end, never overlapping; cycles' idle time is what they say.
            for (std::size_t i = 1; i < scene.sink.gaps.size(); ++i)
                RC_ASSERT(scene.sink.gaps[i].start >=
                          scene.sink.gaps[i - 1].start + scene.sink.gaps[i - 1].length);
            for (const CycleRecord &r : scene.sink.cycles) {
                std::uint32_t count = 0;
                const Time to = r.end + r.next_command_wait.value_or(Duration{});
                const Duration idle = overlap(scene.sink.gaps, r.start, to, count);
                RC_ASSERT(*r.idle == idle);
                RC_ASSERT(r.idle_gaps == count);
            }
        }));
}

TEST_CASE("write phases equal what holds at each instant") {
    REQUIRE(rc::check(
        "against a sampled oracle",
        [] {
            // Times in nanoseconds, small, so that each instant can be asked.
            const auto any = [] { return Time{Duration{*rc::gen::inRange(0, 40)}}; };
            WriteTimes times{Time{Duration{3}}, any(), {}, any()};
            if (*rc::gen::arbitrary<bool>())
                times.unsolicited_end = any();
            std::vector<BurstTimes> bursts(*rc::gen::inRange<std::size_t>(0, 4));
            WritePhases phases;
            for (BurstTimes &b : bursts) {
                if (*rc::gen::inRange(0, 4) != 0)
                    b.r2t = any();
                if (*rc::gen::inRange(0, 4) != 0) {
                    b.first = any();
                    b.last = std::max(*b.first, any());
                }
                phases.add(b);
            }
            const Phases result = phases.partition(times);

            Phases oracle;
            const Time end = std::max(times.end, times.start);
            const Time command = std::clamp(times.command_delivered, times.start, end);
            oracle.command = command - times.start;
            for (Time t = command; t < end; t += Duration{1}) {
                const bool unsolicited = times.unsolicited_end && t < *times.unsolicited_end;
                bool sending = false, asked = false, more = false;
                for (const BurstTimes &b : bursts) {
                    sending |= b.first && *b.first <= t && t < b.last;
                    asked |= b.r2t && *b.r2t <= t && (!b.first || t < *b.first);
                    more |= b.r2t && t < *b.r2t;
                }
                Duration &phase = unsolicited ? oracle.unsolicited
                                  : sending   ? oracle.burst_data
                                  : asked     ? oracle.burst_response
                                  : more      ? oracle.r2t_wait
                                              : oracle.status_wait;
                phase += Duration{1};
            }
            RC_ASSERT(result.command == oracle.command);
            RC_ASSERT(result.unsolicited == oracle.unsolicited);
            RC_ASSERT(result.burst_data == oracle.burst_data);
            RC_ASSERT(result.burst_response == oracle.burst_response);
            RC_ASSERT(result.r2t_wait == oracle.r2t_wait);
            RC_ASSERT(result.status_wait == oracle.status_wait);
        }));
}
