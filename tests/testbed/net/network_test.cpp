// SPDX-License-Identifier: GPL-2.0-or-later
// Packets over several links, shared ones too, without a clock.
#include "catch.h"

#include "sample-captures/testbed/net/network.h"

#include <map>
#include <netinet/in.h>

using namespace iscsiscope;
using namespace iscsiscope::testbed::shim;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t mbit = 1'000'000;

struct Seen final : NetworkSink {
    struct Delivery {
        std::uint32_t from;
        std::uint32_t host;
        Instant due;
        std::uint32_t bytes;
    };
    std::vector<Delivery> deliveries;
    std::vector<std::pair<std::uint32_t, Instant>> taps;
    std::vector<Drop> drops;
    std::vector<Disturbance> disturbances;

    void on_deliver(const PacketRef &p, std::uint32_t host, Instant due) override {
        deliveries.push_back({p->from_host, host, due, p->info.ip_bytes});
    }
    void on_tap(std::uint32_t tap, const PacketRef &, Instant at) override { taps.emplace_back(tap, at); }
    void on_drop(const Drop &drop) override { drops.push_back(drop); }
    void on_disturbance(const Disturbance &d) override { disturbances.push_back(d); }
};

PacketRef packet(std::uint32_t from, Ipv4 source, Ipv4 destination, std::uint32_t bytes = 1500) {
    auto made = std::make_shared<Packet>();
    made->from_host = from;
    made->info.source = source;
    made->info.destination = destination;
    made->info.ip_bytes = bytes;
    made->info.tcp_offset = 20;
    made->info.tcp_payload = bytes - 52;
    return made;
}

DuplexLink link(std::string name, Duration delay, std::int64_t rate = 0, std::uint64_t queue = 0) {
    DuplexLink made;
    made.name = std::move(name);
    made.forward.delay = delay;
    if (rate > 0)
        made.forward.rate = {{0ns, rate}};
    made.forward.queue_packets = queue;
    made.backward = made.forward;
    return made;
}

// Hosts 0 and 1 send to host 2.
NetworkConfig two_senders(std::vector<DuplexLink> links, std::vector<std::uint32_t> first,
                          std::vector<std::uint32_t> second) {
    NetworkConfig config;
    config.host_addresses = {{1}, {2}, {3}};
    config.links = std::move(links);
    config.paths = {{{1}, {3}, std::move(first)}, {{2}, {3}, std::move(second)}};
    return config;
}

// Both senders offer `each` bits a second for a second; what arrives in that second, in Mbit/s.
double offered_by_two(const NetworkConfig &config, std::int64_t each) {
    Seen seen;
    Network network(config, seen);
    const std::int64_t gap = 1500 * 8 * 1'000'000'000LL / each;
    for (std::int64_t t = 0; t < 1'000'000'000; t += gap) {
        network.advance(instant_from_ns(t));
        network.submit(packet(0, 1, 3), instant_from_ns(t));
        network.submit(packet(1, 2, 3), instant_from_ns(t));
    }
    network.advance(Instant{1s});
    double bits = 0;
    for (const auto &delivery : seen.deliveries)
        bits += delivery.bytes * 8.0;
    return bits / 1e6;
}

} // namespace

TEST_CASE("Two flows share one link and do not where each has its own") {
    const auto wide = link("wide", 0ns);
    const auto a = link("a", 1ms, 100 * mbit, 100);
    const auto b = link("b", 1ms, 100 * mbit, 100);
    CHECK(offered_by_two(two_senders({wide, a, b}, {0, 1}, {0, 1}), 150 * mbit) ==
          Approx(100).epsilon(0.005));
    CHECK(offered_by_two(two_senders({wide, a, b}, {0, 1}, {0, 2}), 150 * mbit) ==
          Approx(200).epsilon(0.005));
}

TEST_CASE("Links add up, in both directions, however late the caller is") {
    NetworkConfig config = two_senders({link("a", 3ms), link("b", 5ms, 12 * mbit, 10)}, {0, 1}, {1});
    config.links[1].forward.access_rate = config.links[1].backward.access_rate = 0;
    Seen seen;
    Network network(config, seen);
    network.submit(packet(0, 1, 3), Instant{0ns});
    network.submit(packet(2, 3, 1), Instant{1ms});
    REQUIRE(network.next_due() == Instant{0ns});
    network.advance(Instant{1s}); // far too late: the nominal times hold all the same
    REQUIRE(seen.deliveries.size() == 2);
    CHECK(seen.deliveries[0].due == Instant{9ms}); // 3 + 1 (1500 bytes at 12 Mbit/s) + 5
    CHECK(seen.deliveries[0].host == 2);
    CHECK(seen.deliveries[1].due == Instant{10ms});
    CHECK(seen.deliveries[1].host == 0);
    CHECK(network.under_way() == 0);
    CHECK_FALSE(network.next_due());
}

TEST_CASE("The access clock stands before the first limited link only, one a host") {
    const auto burst = [](std::optional<std::int64_t> step_access) {
        NetworkConfig config = two_senders(
            {link("fast", 0ns, 1000 * mbit, 1000), link("step", 0ns, 100 * mbit, 4)}, {0, 1}, {0, 1});
        config.links[1].forward.access_rate = step_access;
        Seen seen;
        Network network(config, seen);
        for (int i = 0; i < 20; ++i)
            network.submit(packet(0, 1, 3), Instant{0ns});
        network.advance(Instant{1s});
        return seen.drops.size();
    };
    // A packet each 12 us into room for 4, one leaves after 120 us: the burst of 20 overflows ...
    CHECK(burst(std::nullopt) == 15);
    // ... unless the scenario asks for a clock there at the step's own rate.
    CHECK(burst(100 * mbit) == 0);
}

TEST_CASE("A late wake-up does not make false drops") {
    // 100 Mbit/s offered in bunches of 10 ms (84 packets) into a queue of 50.
    const auto drops = [](std::optional<std::int64_t> access) {
        NetworkConfig config = two_senders({link("wan", 1ms, 100 * mbit, 50)}, {0}, {0});
        config.links[0].forward.access_rate = access;
        Seen seen;
        Network network(config, seen);
        for (int bunch = 0; bunch < 20; ++bunch) {
            const Instant at{10ms * bunch};
            network.advance(at);
            for (int i = 0; i < 83; ++i)
                network.submit(packet(0, 1, 3), at);
        }
        network.advance(Instant{10s});
        return seen.drops.size();
    };
    CHECK(drops(std::nullopt) == 0);
    CHECK(drops(0) > 500); // without the clock
}

TEST_CASE("Taps see packets where and when they pass") {
    NetworkConfig config = two_senders({link("wan", 8ms, 12 * mbit, 10)}, {0}, {0});
    config.links[0].forward.access_rate = config.links[0].backward.access_rate = 0;
    using Place = TapConfig::Place;
    config.taps = {{"before", 0, Place::before_queue, 0.5},
                   {"behind", 0, Place::behind_queue, 0.5},
                   {"quarter", 0, Place::on_wire, 0.25}};
    Seen seen;
    Network network(config, seen);
    network.submit(packet(0, 1, 3), Instant{0ns});
    network.advance(Instant{1s});
    network.submit(packet(2, 3, 1), Instant{1s});
    network.advance(Instant{2s});
    using Tapped = std::vector<std::pair<std::uint32_t, Instant>>;
    CHECK(seen.taps == Tapped{{0, Instant{0ns}},
                              {1, Instant{1ms}},
                              {2, Instant{3ms}},
                              {0, Instant{1s}},
                              {1, Instant{1001ms}},
                              {2, Instant{1007ms}}});
}

TEST_CASE("Packets, drops and duplicates balance; what has no path is told") {
    NetworkConfig config = two_senders({link("wan", 1ms, 50 * mbit, 20)}, {0}, {0});
    config.links[0].forward.loss.random = 0.1;
    config.links[0].forward.duplicate_probability = 0.1;
    Seen seen;
    Network network(config, seen);
    for (int i = 0; i < 2000; ++i) {
        network.advance(Instant{100us * i});
        network.submit(packet(0, 1, 3), Instant{100us * i});
    }
    network.advance(Instant{10s});
    const auto &totals = network.totals(0, Direction::forward);
    CHECK(totals.packets_in == 2000);
    CHECK(seen.deliveries.size() + seen.drops.size() == 2000 + totals.duplicates);
    CHECK(totals.duplicates > 50);
    CHECK(totals.packets_out == seen.deliveries.size());
    CHECK(network.under_way() == 0);
    network.submit(packet(0, 1, 2), Instant{11s});
    CHECK(network.unroutable() == 1);
    CHECK(seen.drops.back().cause == DropCause::unroutable);
}
