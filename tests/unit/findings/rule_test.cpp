// SPDX-License-Identifier: GPL-2.0-or-later
// Rules on facts made up for them: each where it must show, and where it must not.
#include "catch.h"

#include "analyzer/findings/claims.h"
#include "analyzer/findings/rules/rule.h"
#include "analyzer/sessions/figures/session_figures.h"
#include "made_facts.h"

#include <random>
#include <set>
#include <utility>

using namespace iscsiscope;
using namespace iscsiscope::made;

namespace {

struct WaitCase {
    WaitKey cause;
    FindingKind kind;
};
// Waits that one cause alone explains, whatever the connection.
const WaitCase plain_waits[] = {
    {waits::path_down, FindingKind::retransmission_timeout}, // of a connection that goes on
    {waits::timeout, FindingKind::retransmission_timeout},
    {waits::window_closed, FindingKind::small_receive_window},
    {waits::delayed_ack, FindingKind::delayed_ack},
    {waits::nagle, FindingKind::nagle},
    {waits::send_buffer, FindingKind::small_send_buffer},
    {waits::slow_start, FindingKind::slow_start},
    {waits::command_window, FindingKind::command_window},
    {waits::target_time, FindingKind::slow_target},
    {waits::round_trip, FindingKind::queue_depth},
    {waits::r2t_chain, FindingKind::r2t_ping_pong},
    {waits::r2t_single, FindingKind::no_unsolicited_data},
};

} // namespace

TEST_CASE("names are a contract and the list of rules is whole") {
    std::size_t place = 0;
    for (const NamedRule &rule : finding_rules) {
        CHECK(static_cast<std::size_t>(rule.kind) == place++);
        CHECK(!title(rule.kind).empty());
    }
    CHECK(place == finding_kind_count);
    CHECK(name(FindingKind::r2t_ping_pong) == "r2t_ping_pong");
    CHECK(name(FindingKind::capture_quality) == "capture_quality");
    CHECK(name(Severity::problem) == "problem");
}

TEST_CASE("each wait's finding is first where it is most of the time, and absent where it is not there") {
    for (const WaitCase &c : plain_waits) {
        INFO(name(c.kind));
        Facts f = one_connection();
        wait(f, c.cause, 10ms, 60);
        const FindingsResult r = found(f);
        REQUIRE(!r.findings.empty());
        CHECK(r.findings[0].kind == c.kind);
        CHECK(r.findings[0].lost_time == 600ms);
        CHECK(r.findings[0].share == Approx(0.6));
        CHECK(r.findings[0].owners[c.cause.owner] == 600ms);
        CHECK(r.explained == 600ms);
        const FindingsResult clean = found(one_connection());
        CHECK(clean.find(c.kind) == nullptr);
    }
}

TEST_CASE("pauses without a task are nobody's loss") {
    Facts f = one_connection();
    pause(f, 10ms, 60);
    const FindingsResult r = found(f);
    REQUIRE(r.findings.size() == 1);
    CHECK(r.findings[0].kind == FindingKind::application_idle);
    CHECK(r.findings[0].lost_time == 0ms);
    CHECK(r.findings[0].share == Approx(0.6));
    CHECK(r.explained == 0ms);
}

TEST_CASE("a kind claims only what its line allows") {
    for (const Claim &claim : claims()) {
        CHECK(may_claim(claim.kind, *claim.causes.begin(), *claim.owners.begin()));
        CHECK_FALSE(may_claim(claim.kind, Cause::other_round_trip, *claim.owners.begin()));
    }
    CHECK_FALSE(may_claim(FindingKind::slow_target, Cause::target_first_data, Owner::network));
    CHECK_FALSE(may_claim(FindingKind::one_direction_slow, Cause::target_first_data, Owner::target));
    Facts f = one_connection();
    wait(f, {Cause::target_first_data, Owner::unknown, GapKind::target_first_data}, 10ms, 60);
    CHECK(found(f).findings.empty());
}

TEST_CASE("a silent path is a broken connection where one broke") {
    Facts f = one_connection();
    wait(f, waits::path_down, 10ms, 60);
    f.connections[0].record.outcome = ConnectionOutcome::reset;
    CHECK(found(f).findings[0].kind == FindingKind::connection_reset);
    f.connections[0].record.outcome = ConnectionOutcome::closed;
    CHECK(found(f).find(FindingKind::connection_reset) == nullptr);
    f.outcomes[static_cast<std::size_t>(TaskOutcome::connection_lost)].count = 3;
    CHECK(found(f).findings[0].kind == FindingKind::connection_reset);
}

TEST_CASE("nothing is found where nothing waits") {
    const FindingsResult r = found(one_connection());
    CHECK(r.findings.empty());
    CHECK(r.ruled_out.size() == finding_kind_count);
}

TEST_CASE("shown from two per cent of the busy time on, a problem from ten") {
    Facts f = one_connection();
    wait(f, waits::nagle, 1ms, 19);
    CHECK(found(f).find(FindingKind::nagle) == nullptr);
    wait(f, waits::nagle, 1ms, 1);
    const FindingsResult r = found(f);
    REQUIRE(r.find(FindingKind::nagle) != nullptr);
    CHECK(r.find(FindingKind::nagle)->severity == Severity::notice);
    wait(f, waits::nagle, 1ms, 79);
    CHECK(found(f).find(FindingKind::nagle)->severity == Severity::notice);
    wait(f, waits::nagle, 1ms, 1);
    CHECK(found(f).find(FindingKind::nagle)->severity == Severity::problem);
}

TEST_CASE("a coarse clock shows no wait of a tick, and not how soon a host goes on") {
    Facts f = one_connection();
    wait(f, waits::nagle, 40ms, 20);
    wait(f, waits::window_closed, 15ms, 20);
    FindingsInput in;
    in.facts = &f;
    CHECK(find_causes(in).find(FindingKind::nagle) != nullptr);
    const FindingsResult fine = find_causes(in);
    REQUIRE(fine.find(FindingKind::small_receive_window) != nullptr);
    in.capture.clock_resolution = 10ms;
    CHECK(find_causes(in).find(FindingKind::nagle) == nullptr);
    CHECK(find_causes(in).find(FindingKind::small_receive_window) != nullptr);
    in.capture.clock_resolution = 15ms;
    CHECK(find_causes(in).find(FindingKind::small_receive_window) == nullptr);
}

TEST_CASE("segments sent again are not said to be lost where nothing shows it") {
    Facts f = one_connection();
    TcpDirectionFigures &d = own(f.connections[0].to_target);
    d.segments = 1000;
    d.lost_behind_tap = 4;
    wait(f, waits::recovery, 5ms, 20);
    wait(f, waits::timeout, 200ms, 2);
    const auto says = [&](FindingKind kind, const std::string &words) {
        const FindingsResult r = found(f);
        const Finding *finding = r.find(kind);
        REQUIRE(finding != nullptr);
        INFO(finding->title << ": " << finding->sentence);
        CHECK((finding->title + ": " + finding->sentence).find(words) != std::string::npos);
    };
    says(FindingKind::packet_loss, "4 of 1,000 segments (0.4 %)");
    says(FindingKind::retransmission_timeout, " 4 segments");
    d.loss_not_shown = 4;
    says(FindingKind::packet_loss,
         "Packets are sent again on the way to the target: 4 of 1,000 segments (0.4 %) were sent again");
    says(FindingKind::packet_loss, "; whether they were lost is not visible.");
    says(FindingKind::retransmission_timeout, "Whether they were lost is not visible.");
    own(f.connections[0].to_initiator).lost_before_tap = 3;
    says(FindingKind::packet_loss, "3 of 1,000 segments (0.3 %)");
    says(FindingKind::packet_loss, "; of 4 more sent again it is not visible.");
    says(FindingKind::retransmission_timeout, "3 were lost, of 4 it is not visible.");
}

TEST_CASE("losses: place of the timeouts, recoveries and windows") {
    Facts f = one_connection();
    own(f.connections[0].to_initiator).lost_behind_tap = 20;
    wait(f, waits::recovery, 5ms, 20);
    wait(f, waits::congestion_window, 5ms, 20);
    CHECK(found(f).findings[0].kind == FindingKind::packet_loss);
    CHECK(found(f).findings[0].lost_time == 200ms);
    // The same waits with segments overtaken instead of lost.
    own(f.connections[0].to_initiator).lost_behind_tap = 0;
    own(f.connections[0].to_initiator).reorderings = 30;
    CHECK(found(f).findings[0].kind == FindingKind::reordering);
    // A size that never gets through takes the timeouts to itself.
    Facts hole = one_connection();
    own(hole.connections[0].to_initiator).smallest_black_holed = 8948;
    own(hole.connections[0].to_initiator).black_hole_frame = 77;
    wait(hole, waits::timeout, 200ms, 3);
    CHECK(found(hole).findings[0].kind == FindingKind::mtu_black_hole);
    // No scaling offered: the window is not merely small.
    Facts narrow = one_connection();
    own(narrow.connections[0].to_target).syn_seen = own(narrow.connections[0].to_initiator).syn_seen = true;
    own(narrow.connections[0].to_initiator).window_scale_offered = std::uint8_t{7};
    own(narrow.connections[0].to_initiator).window_full.add(3ms, 5);
    wait(narrow, waits::window_closed, 3ms, 100);
    CHECK(found(narrow).findings[0].kind == FindingKind::no_window_scaling);
    own(narrow.connections[0].to_target).window_scale_offered = std::uint8_t{7};
    CHECK(found(narrow).findings[0].kind == FindingKind::small_receive_window);
    // A receiver that has no room once has no room for little of these 300 ms.
    own(narrow.connections[0].to_initiator).zero_window.add(3ms, 8);
    CHECK(found(narrow).findings[0].kind == FindingKind::small_receive_window);
    own(narrow.connections[0].to_initiator).zero_window.add(300ms, 9);
    CHECK(found(narrow).findings[0].kind == FindingKind::zero_window);
}

TEST_CASE("pauses and probes of a sender that the window holds are the window's") {
    const auto held = [](Duration by_window) {
        Facts f = one_connection();
        own(f.connections[0].to_initiator).window_full.add(3ms, 5);
        own(f.connections[0].to_initiator).limit_time[static_cast<std::size_t>(SendLimit::receive_window)] =
            by_window;
        wait(f, waits::window_closed, 5ms, 20);
        wait(f, waits::held_pause, 20ms, 10);
        wait(f, waits::recovery, 12ms, 10); // of nothing lost: the last segment, sent again as a probe
        return found(f);
    };
    CHECK(held(800ms).findings[0].kind == FindingKind::small_receive_window);
    CHECK(held(800ms).findings[0].lost_time == 420ms);
    CHECK(held(800ms).find(FindingKind::slow_target) == nullptr); // the time is not the target's
    CHECK(held(150ms).find(FindingKind::slow_target) == nullptr);
    REQUIRE(held(150ms).find(FindingKind::small_receive_window) != nullptr);
    CHECK(held(150ms).find(FindingKind::small_receive_window)->lost_time ==
          100ms); // what a window update ended
}

TEST_CASE("a window that allows far more than was reached grew, or was opened late") {
    const auto window = [](std::uint64_t smallest) {
        Facts f = one_connection(); // 80 kB each 4 ms allow 20 MB/s
        TcpDirectionFigures &d = own(f.connections[0].to_initiator);
        d.window_full.add(3ms, 5);
        d.largest_window = 80'000;
        d.smallest_window = smallest;
        wait(f, waits::window_closed, 20ms, 20);
        ModelInput m;
        m.measured_throughput = 3e6;
        f.models.push_back(m);
        const FindingsResult r = found(f);
        const Finding *small = r.find(FindingKind::small_receive_window);
        return small != nullptr ? std::optional(small->severity) : std::nullopt;
    };
    CHECK_FALSE(window(10'000)); // growing, as a congestion window does
    CHECK(window(70'000) == Severity::problem);
}

TEST_CASE("synchronous loss of many flows is incast, loss by chance is not") {
    // Four connections, each with ten losses; the losses of one moment are `apart` from each other.
    const auto four = [](std::int64_t apart) {
        Facts f = one_connection();
        for (std::uint64_t i = 1; i < 4; ++i) {
            f.connections.push_back(std::move(one_connection().connections[0]));
            f.connections.back().record.stream = StreamId{i};
        }
        for (ConnectionFacts &c : f.connections) {
            own(c.to_initiator).lost_behind_tap = 10;
            wait(c, waits::timeout, 250ms);
            wait(c, waits::held_pause, 50ms);
        }
        for (std::int64_t n = 0; n < 10; ++n)
            for (std::uint64_t i = 0; i < 4; ++i)
                f.losses.push_back(
                    {time_from_ns(n * 100'000'000 + static_cast<std::int64_t>(i) * apart), StreamId{i}});
        return f;
    };
    const Facts together = four(100'000), apart = four(25'000'000);
    // Loss at random, frequent enough to fall together more often than not: 60 in 200 ms, or so many in each
    // of three such times a second apart, in which all sent.
    std::mt19937 random(5);
    int taken_for_overflow = 0, of_bursts = 0;
    for (int run = 0; run < 100; ++run) {
        Facts frequent = four(25'000'000), bursts = four(25'000'000);
        frequent.losses.clear(), bursts.losses.clear();
        for (std::int64_t n = 0; n < 180; ++n) {
            const LossMoment loss{
                time_from_ns(n / 60 * 1'000'000'000 + static_cast<std::int64_t>(random() % 200'000'000)),
                StreamId{random() % 4}};
            bursts.losses.push_back(loss);
            if (n < 60)
                frequent.losses.push_back(loss);
        }
        taken_for_overflow += found(frequent).find(FindingKind::incast) != nullptr ? 1 : 0;
        of_bursts += found(bursts).find(FindingKind::incast) != nullptr ? 1 : 0;
    }
    // Two of six that fell together once.
    Facts few = four(25'000'000);
    few.losses.clear();
    for (std::uint64_t i = 0; i < 5; ++i)
        few.losses.push_back({time_from_ns(static_cast<std::int64_t>(i) * 150'000'000), StreamId{i % 4}});
    few.losses.push_back({time_from_ns(300'500'000), 0});
    CHECK(found(few).find(FindingKind::incast) == nullptr);
    CHECK(taken_for_overflow <= 2);
    CHECK(of_bursts <= 2);
    CHECK(found(together).findings[0].kind == FindingKind::incast);
    CHECK(found(together).findings[0].lost_time == 1200ms); // pauses within data too
    CHECK(found(together).find(FindingKind::packet_loss) == nullptr);
    CHECK(found(apart).find(FindingKind::incast) == nullptr);
    CHECK(found(apart).findings[0].kind == FindingKind::retransmission_timeout);
    CHECK(found(apart).find(FindingKind::packet_loss) != nullptr);
}

namespace {

// `n` connections, the streams 0 to n - 1.
Facts several(std::uint64_t n) {
    Facts f = one_connection();
    for (std::uint64_t i = 1; i < n; ++i) {
        f.connections.push_back(std::move(one_connection().connections[0]));
        f.connections.back().record.stream = StreamId{i};
    }
    return f;
}

} // namespace

TEST_CASE("losses that come under load are an overflow, though at different moments") {
    const auto four = [](double at_losses) {
        Facts f = several(4);
        for (ConnectionFacts &c : f.connections) {
            own(c.to_initiator).lost_behind_tap = 10;
            for (int i = 0; i < 200; ++i)
                own(c.to_initiator).flights.add(i % 2 == 0 ? 5'000 : 15'000);
            for (int i = 0; i < 10; ++i)
                own(c.to_initiator).lost_flights.add(at_losses);
            wait(c, waits::timeout, 250ms);
            wait(c, waits::path_down, 200ms);
        }
        return f;
    };
    const FindingsResult loaded = found(four(15'000)), chance = found(four(10'500));
    CHECK(loaded.findings[0].kind == FindingKind::incast);
    CHECK(loaded.findings[0].lost_time == 1800ms); // all were silent at once: timers, no reset
    CHECK(loaded.find(FindingKind::connection_reset) == nullptr);
    CHECK(chance.find(FindingKind::incast) == nullptr);
    CHECK(chance.find(FindingKind::retransmission_timeout) != nullptr);
}

TEST_CASE("an answer behind the data of other connections is no slow target") {
    const auto two = [](double share_of_path, double block = 65'536, std::uint64_t flight = 250'000) {
        Facts f = several(2);
        f.types[0].depth_sum = f.types[0].commands = f.types[0].count; // one at a time on each
        for (ConnectionFacts &c : f.connections) {
            own(c.to_initiator).largest_flight = flight;
            wait(c, waits::target_time, 26ms, 20);
        }
        ModelInput m;
        m.connections = 2;
        m.path_rate = 12.5e6; // 500 kB take 40 ms
        m.measured_throughput = share_of_path * 12.5e6;
        m.block = block;
        f.models.push_back(m);
        return f;
    };
    CHECK(found(two(0.95)).find(FindingKind::slow_target) == nullptr);
    // What is under way of the 524 kB asked for may not be known.
    CHECK(found(two(0.95, 262'144, 20'000)).find(FindingKind::slow_target) == nullptr);
    CHECK(found(two(0.95, 65'536, 20'000)).find(FindingKind::slow_target) != nullptr);
    REQUIRE(found(two(0.3)).find(FindingKind::slow_target) != nullptr);
    CHECK(found(two(0.3)).findings[0].kind == FindingKind::slow_target);
}

TEST_CASE("lost time holds what passed slower than the path carries") {
    Facts f = one_connection();
    ConnectionFacts &c = f.connections[0];
    c.record.bytes_to_initiator = 2'500'000; // 200 ms at the path's rate
    c.record.transfer = 500ms;
    c.runs[Owner::transfer] = c.runs[Owner::network] = 250ms;
    own(c.to_initiator).window_full.add(3ms, 5);
    own(c.to_initiator).limit_time[static_cast<std::size_t>(SendLimit::receive_window)] = 700ms;
    wait(f, waits::window_closed, 5ms, 80); // 400 ms
    ModelInput m;
    m.path_rate = 12.5e6;
    f.models.push_back(m);
    const FindingsResult r = found(f);
    CHECK(r.findings[0].kind == FindingKind::small_receive_window);
    CHECK(r.findings[0].lost_time == 700ms); // of the 300 ms too many all that the window held it
    CHECK(r.findings[0].owners[Owner::network] == 650ms); // before what its bytes seemed to need
    own(f.connections[0].to_initiator).limit_time[static_cast<std::size_t>(SendLimit::receive_window)] =
        500ms;
    CHECK(found(f).findings[0].lost_time == 500ms);
    f.models[0].rate_is_lower_bound = true; // the path's own rate was never seen
    CHECK(found(f).findings[0].lost_time == 400ms);
}

TEST_CASE("pauses as long as held ACKs are held ACKs, few of which prove it when they are just as long") {
    const auto held = [](int times, Duration each) {
        Facts f = one_connection();
        for (int i = 0; i < times; ++i)
            own(f.connections[0].to_initiator).delayed_acks_costly.add(each, 7);
        wait(f, waits::held_pause, 42ms, 15);
        return found(f).find(FindingKind::delayed_ack) != nullptr;
    };
    CHECK_FALSE(held(2, 44ms));
    CHECK(held(4, 44ms));
    CHECK_FALSE(held(4, 70ms));
    CHECK(held(9, 70ms));
    CHECK_FALSE(held(9, 200ms));
}

TEST_CASE("a send buffer is a problem where it sets the rate") {
    Facts f = one_connection(); // 250 round trips
    wait(f, waits::send_buffer, 3ms, 200);
    own(f.connections[0].to_initiator).largest_flight = 16'000;
    f.connections[0].record.bytes_to_initiator = 3'500'000;
    REQUIRE(found(f).find(FindingKind::small_send_buffer) != nullptr);
    CHECK(found(f).findings[0].severity == Severity::problem);
    own(f.connections[0].to_initiator).largest_flight = 160'000;
    CHECK(found(f).find(FindingKind::small_send_buffer)->severity == Severity::notice);
}

TEST_CASE("a window that begins anew after idleness is a problem, that of a new connection is ordinary") {
    Facts f = one_connection();
    wait(f, waits::slow_start, 4ms, 50);
    SlowStarts &s = own(f.connections[0].to_initiator).slow_starts;
    s.opening.add(200ms, 7);
    s.transfers_opening = 1;
    s.run = {{{10, 5}, {20, 7}}};
    s.run_waits = 2;
    const FindingsResult first = found(f);
    REQUIRE(first.find(FindingKind::slow_start) != nullptr);
    CHECK(first.find(FindingKind::slow_start)->severity == Severity::notice);
    CHECK(first.find(FindingKind::slow_start)->nature == Nature::trait);
    s.after_idle.add(1800ms, 9);
    s.transfers_after_idle = 9;
    s.shortest_silence = s.longest_silence = 2s;
    s.run_after_idle = true;
    CHECK(found(f).findings[0].kind == FindingKind::slow_start);
    CHECK(found(f).findings[0].severity == Severity::problem);
    // What new connections cost is taken off.
    s.opening.add(2800ms, 11);
    CHECK(found(f).find(FindingKind::slow_start)->severity == Severity::notice);
}

TEST_CASE("a link is full where bytes pass nearly all the time, without loss or a queue that hurts") {
    Facts f = one_connection();
    f.connections[0].record.active_end = time_from_ns(10'000'000'000);
    f.connections[0].record.bytes_to_initiator = 1'000'000'000;
    f.connections[0].runs[Owner::transfer] = 9s;
    own(f.connections[0].to_initiator).segments = 700'000;
    const FindingsResult r = found(f);
    REQUIRE(r.find(FindingKind::full_link) != nullptr);
    CHECK(r.find(FindingKind::full_link)->severity == Severity::notice);
    f.connections[0].runs[Owner::transfer] = 7s;
    CHECK(found(f).find(FindingKind::full_link) == nullptr);
    f.connections[0].runs[Owner::transfer] = 9s;
    own(f.connections[0].to_initiator).lost_behind_tap = 700;
    CHECK(found(f).find(FindingKind::full_link) == nullptr);
    own(f.connections[0].to_initiator).lost_behind_tap = 0;
    f.connections[0].record.bytes_to_initiator = 1'000'000;
    CHECK(found(f).find(FindingKind::full_link) == nullptr);
}

TEST_CASE("small Data PDUs, blocked and queued tasks") {
    Facts f = one_connection();
    f.connections[0].record.transfer = 900ms;
    f.types[0].data_pdus = f.types[0].bytes / 512;
    REQUIRE(found(f).find(FindingKind::small_data_segments) != nullptr);
    f.types[0].data_pdus = f.types[0].bytes / 65536;
    CHECK(found(f).find(FindingKind::small_data_segments) == nullptr);

    Facts line = one_connection();
    line.head_of_line = {20, 20, 800ms, 40ms, 60ms, 1, 2, 3};
    REQUIRE(found(line).find(FindingKind::head_of_line) != nullptr);
    line.head_of_line.behind_time = 50ms;
    CHECK(found(line).find(FindingKind::head_of_line) == nullptr);

    Facts block = one_connection();
    block.blocking = {3, 20, 20, 200ms, 2s, 40ms, 0x93, 1, 2};
    REQUIRE(found(block).find(FindingKind::blocking_command) != nullptr);
    block.blocking.blocked_time = 50ms;
    CHECK(found(block).find(FindingKind::blocking_command) == nullptr);
}

TEST_CASE("a finding on a range or a filter states which of its figures are of the whole capture") {
    Facts f = one_connection();
    own(f.connections[0].to_initiator).lost_behind_tap = 10;
    wait(f, waits::recovery, 5ms, 40);
    wait(f, waits::target_time, 5ms, 40);
    FindingsInput in;
    in.facts = &f;
    FindingsOptions options;
    const std::string words = "of the whole capture";
    for (const auto &[of_range, of_filter] : {std::pair{false, false}, {true, false}, {false, true}}) {
        options.of_range = of_range;
        options.of_filter = of_filter;
        const FindingsResult r = find_causes(in, options);
        CHECK((r.find(FindingKind::packet_loss)->sentence.find(words) != std::string::npos) ==
              (of_range || of_filter));
        CHECK(r.find(FindingKind::slow_target)->sentence.find(words) == std::string::npos);
        CHECK(std::ranges::any_of(r.ruled_out, [](const RuledOut &o) {
                  return o.kind == FindingKind::application_idle &&
                         o.why_not.starts_with("not judged with a filter");
              }) == of_filter);
    }
}
