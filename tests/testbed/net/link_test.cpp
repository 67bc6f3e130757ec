// SPDX-License-Identifier: GPL-2.0-or-later
// The link's decisions, to the nanosecond. No privilege, no clock.
#include "catch.h"

#include "sample-captures/testbed/net/links/link.h"

#include <cmath>
#include <vector>

using namespace iscsiscope;
using namespace iscsiscope::testbed::shim;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t mbit = 1'000'000;

Instant at(Duration d) {
    return Instant{d};
}
Link::Arrival packet(Duration when, std::uint32_t bytes = 1500, bool payload = true) {
    return {at(when), bytes, payload, !payload};
}
LinkConfig limited(std::int64_t rate, std::uint64_t queue_packets) {
    LinkConfig config;
    config.rate = {{0ns, rate}};
    config.queue_packets = queue_packets;
    return config;
}

} // namespace

TEST_CASE("A bare link only delays") {
    LinkConfig config;
    config.delay = 140us;
    Link link(config, 1, 0);
    const auto decision = link.admit(packet(1ms));
    CHECK(decision.drop == DropCause::none);
    CHECK(decision.departed == at(1ms));
    CHECK(decision.deliver == at(1140us));
}

TEST_CASE("Packets back to back leave at the rate, without rounding adding up") {
    LinkConfig config = limited(3 * mbit, 0); // 1500 bytes take 4 ms; 1001 bytes take 2669333.3 ns
    Link link(config, 1, 0);
    for (int n = 1; n <= 3000; ++n) {
        const auto decision = link.admit(packet(0ns, 1001));
        const std::int64_t expected = std::int64_t{n} * 1001 * 8 * 1000 / 3;
        REQUIRE(to_ns(decision.departed) == expected);
    }
    CHECK(to_ns(link.admit(packet(100s, 1500)).departed) == 100'000'000'000 + 4'000'000);
}

TEST_CASE("Bytes of framing count on the wire, not in the queue") {
    LinkConfig config = limited(100 * mbit, 0);
    config.queue_bytes = 3000;
    config.overhead_bytes = 38;
    Link link(config, 1, 0);
    CHECK(link.admit(packet(0ns)).departed == at(123040ns));
    CHECK(link.admit(packet(0ns)).departed == at(246080ns));
    CHECK(link.admit(packet(0ns)).drop == DropCause::queue_full);
    CHECK(link.largest_queue_bytes() == 3000);
}

TEST_CASE("A queue of n packets holds n, the one in transmission included") {
    Link link(limited(12 * mbit, 3), 1, 0); // 1 ms each
    CHECK(link.admit(packet(0ns)).deliver == at(1ms));
    CHECK(link.admit(packet(0ns)).deliver == at(2ms));
    CHECK(link.admit(packet(0ns)).deliver == at(3ms));
    const auto refused = link.admit(packet(999999ns));
    CHECK(refused.drop == DropCause::queue_full);
    CHECK(refused.queue_packets == 3);
    CHECK(link.admit(packet(1ms)).deliver == at(4ms)); // the first has just left
    CHECK(link.largest_queue_packets() == 3);
}

TEST_CASE("A schedule changes the rate under a packet in transmission") {
    LinkConfig config = limited(12 * mbit, 0);
    config.rate = {{0ns, 12 * mbit}, {500us, 6 * mbit}, {10ms, 0}, {20ms, 12 * mbit}};
    Link link(config, 1, 0);
    CHECK(link.admit(packet(0ns)).departed == at(1500us));  // half at 12, half at 6 Mbit/s
    CHECK(link.admit(packet(9ms)).departed == at(20500us)); // half before the pause, half after
    const auto paused = link.admit(packet(15ms));
    CHECK(paused.service_start == at(20500us));
    CHECK(paused.departed == at(21500us));
}

TEST_CASE("Listed packets and every n-th are lost, counted as asked") {
    LinkConfig config;
    config.loss.listed = {2, 5};
    config.loss.every_nth = 4;
    config.loss.count_data_only = true;
    Link link(config, 1, 0);
    std::vector<DropCause> drops;
    for (int i = 0; i < 5; ++i) {
        CHECK(link.admit(packet(Duration{i}, 60, false)).drop == DropCause::none); // not counted
        drops.push_back(link.admit(packet(Duration{i})).drop);
    }
    CHECK(drops == std::vector{DropCause::none, DropCause::loss_listed, DropCause::none,
                               DropCause::loss_every_nth, DropCause::loss_listed});
}

TEST_CASE("A packet that the wire loses has used the rate") {
    LinkConfig config = limited(12 * mbit, 10);
    config.loss.listed = {1};
    Link link(config, 1, 0);
    const auto lost = link.admit(packet(0ns));
    CHECK(lost.drop == DropCause::loss_listed);
    CHECK(lost.departed == at(1ms));
    CHECK(link.admit(packet(0ns)).deliver == at(2ms));
}

TEST_CASE("Outage and black hole take what they should") {
    LinkConfig config;
    config.outages = {{1ms, 2ms}};
    config.black_hole_mtu = 1400;
    Link link(config, 1, 0);
    CHECK(link.admit(packet(999999ns, 1400)).drop == DropCause::none);
    CHECK(link.admit(packet(1ms, 60)).drop == DropCause::outage);
    CHECK(link.admit(packet(1999999ns, 60)).drop == DropCause::outage);
    CHECK(link.admit(packet(2ms, 1400)).drop == DropCause::none);
    CHECK(link.admit(packet(2ms, 1401)).drop == DropCause::black_hole);
}

TEST_CASE("Held ACKs leave together; data does not wait for them") {
    LinkConfig config;
    config.delay = 1ms;
    config.ack_hold = 5ms;
    Link link(config, 1, 0);
    CHECK(link.admit(packet(0ns, 52, false)).deliver == at(6ms));
    CHECK(link.admit(packet(2ms, 52, false)).deliver == at(6ms));
    CHECK(link.admit(packet(3ms)).deliver == at(4ms));
    CHECK(link.admit(packet(4999999ns, 52, false)).deliver == at(6ms));
    CHECK(link.admit(packet(5ms, 52, false)).deliver == at(11ms));
}

TEST_CASE("A held-back packet is overtaken, a duplicate arrives with its original") {
    LinkConfig config;
    config.delay = 1ms;
    config.reorder_probability = 1.0;
    config.reorder_delay = 3ms;
    config.duplicate_probability = 1.0;
    Link link(config, 1, 0);
    const auto decision = link.admit(packet(0ns));
    CHECK(decision.out_of_turn);
    CHECK(decision.duplicated);
    CHECK(decision.deliver == at(4ms));
}

TEST_CASE("Random loss of 0.1 % is within its 99 % interval over a million packets") {
    LinkConfig config;
    config.loss.random = 0.001;
    Link link(config, 20261121, 0);
    constexpr int packets = 1'000'000;
    int lost = 0;
    for (int i = 0; i < packets; ++i)
        lost += link.admit(packet(Duration{i})).drop == DropCause::loss_random ? 1 : 0;
    const double expected = packets * 0.001;
    CHECK(std::abs(lost - expected) <= 2.576 * std::sqrt(expected * 0.999)); // 1000 +- 81
}

TEST_CASE("Burst loss has the share and the run length of its model") {
    LinkConfig config;
    config.loss.burst = GilbertElliott{0.001, 0.1, 0.0, 1.0};
    Link link(config, 5, 0);
    int lost = 0;
    int bursts = 0;
    bool before = false;
    constexpr int packets = 1'000'000;
    for (int i = 0; i < packets; ++i) {
        const bool now = link.admit(packet(Duration{i})).drop == DropCause::loss_burst;
        lost += now ? 1 : 0;
        bursts += now && !before ? 1 : 0;
        before = now;
    }
    CHECK(static_cast<double>(lost) / packets == Approx(0.001 / 0.101).epsilon(0.1));
    CHECK(static_cast<double>(lost) / bursts == Approx(10.0).epsilon(0.05));
}

TEST_CASE("An access clock spaces packets that came at once") {
    AccessClock clock(200 * mbit);
    CHECK(clock.pass(at(1ms), 1500) == at(1060us));
    CHECK(clock.pass(at(1ms), 1500) == at(1120us));
    CHECK(clock.pass(at(2ms), 1500) == at(2060us));
}
