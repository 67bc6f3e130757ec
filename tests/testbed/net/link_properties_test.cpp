// SPDX-License-Identifier: GPL-2.0-or-later
// What must hold of every link, whatever its configuration and arrivals.
#include "catch.h"

#include "sample-captures/testbed/net/links/link.h"

#include <algorithm>
#include <deque>
#include <rapidcheck.h>
#include <vector>

using namespace iscsiscope;
using namespace iscsiscope::testbed::shim;

namespace {

struct Case {
    LinkConfig config;
    std::uint64_t seed = 0;
    std::vector<Link::Arrival> arrivals;
};

double part(int most) {
    return *rc::gen::inRange(0, most + 1) / 100.0;
}

LinkConfig any_config() {
    LinkConfig config;
    config.delay = Duration{*rc::gen::inRange(0, 10'000'000)};
    config.jitter = Duration{*rc::gen::element(0, 100'000, 5'000'000)};
    config.jitter_reorders = *rc::gen::arbitrary<bool>();
    config.loss.random = part(30);
    config.loss.every_nth = static_cast<std::uint64_t>(*rc::gen::inRange(0, 20));
    if (*rc::gen::arbitrary<bool>())
        config.loss.burst = GilbertElliott{part(20), part(100), part(5), part(100)};
    if (*rc::gen::arbitrary<bool>()) {
        config.rate = {{Duration{0}, *rc::gen::inRange<std::int64_t>(100'000, 1'000'000'000)}};
        if (*rc::gen::arbitrary<bool>()) {
            config.rate.push_back({Duration{*rc::gen::inRange(1, 50'000'000)},
                                   *rc::gen::inRange<std::int64_t>(100'000, 1'000'000'000)});
        }
    }
    config.queue_packets = static_cast<std::uint64_t>(*rc::gen::inRange(0, 20));
    config.queue_bytes = static_cast<std::uint64_t>(*rc::gen::element(0, 4000, 30'000));
    config.reorder_probability = part(20);
    config.reorder_delay = Duration{*rc::gen::inRange(0, 5'000'000)};
    config.duplicate_probability = part(20);
    config.ack_hold = Duration{*rc::gen::element(0, 3'000'000)};
    return config;
}

Case any_case() {
    Case made;
    made.config = any_config();
    made.seed = *rc::gen::arbitrary<std::uint64_t>();
    Duration now{0};
    const int count = *rc::gen::inRange(1, 200);
    for (int i = 0; i < count; ++i) {
        now += Duration{*rc::gen::element(0, 1, 1000, 120'000, 3'000'000)};
        const bool payload = *rc::gen::arbitrary<bool>();
        made.arrivals.push_back(
            {Instant{now}, static_cast<std::uint32_t>(*rc::gen::inRange(40, 1501)), payload, !payload});
    }
    return made;
}

std::vector<Link::Decision> play(const Case &c) {
    Link link(c.config, c.seed, 3);
    std::vector<Link::Decision> decisions;
    for (const Link::Arrival &arrival : c.arrivals)
        decisions.push_back(link.admit(arrival));
    return decisions;
}

} // namespace

TEST_CASE("The same seed and arrivals give the same decisions") {
    CHECK(rc::check([] {
        const Case c = any_case();
        const auto first = play(c);
        const auto second = play(c);
        for (std::size_t i = 0; i < first.size(); ++i) {
            RC_ASSERT(first[i].drop == second[i].drop);
            RC_ASSERT(first[i].deliver == second[i].deliver);
            RC_ASSERT(first[i].duplicated == second[i].duplicated);
            RC_ASSERT(first[i].out_of_turn == second[i].out_of_turn);
        }
    }));
}

TEST_CASE("Random losses depend on the order of arrival alone") {
    CHECK(rc::check([] {
        Case c = any_case();
        c.config.queue_packets = c.config.queue_bytes = 0; // a full queue is a matter of time
        const auto early = play(c);
        for (std::size_t i = 0; i < c.arrivals.size(); ++i)
            c.arrivals[i].at += Duration{static_cast<std::int64_t>(i) * 777'777};
        const auto late = play(c);
        for (std::size_t i = 0; i < early.size(); ++i) {
            RC_ASSERT(early[i].drop == late[i].drop);
            RC_ASSERT(early[i].duplicated == late[i].duplicated);
        }
    }));
}

TEST_CASE("Times are in order and no packet beats the rate, the queue or the delay") {
    CHECK(rc::check([] {
        const Case c = any_case();
        const auto decisions = play(c);
        std::deque<std::pair<Instant, std::uint64_t>> queue; // brute force: departure, bytes
        Instant last_departure;
        Instant last_in_turn;
        for (std::size_t i = 0; i < decisions.size(); ++i) {
            const Link::Decision &d = decisions[i];
            RC_ASSERT(d.arrived <= d.service_start && d.service_start <= d.departed &&
                      d.departed <= d.deliver);
            std::uint64_t bytes = 0;
            std::uint64_t packets = 0;
            for (const auto &[departs, size] : queue) {
                packets += departs > d.arrived ? 1 : 0;
                bytes += departs > d.arrived ? size : 0;
            }
            RC_ASSERT(d.queue_packets == packets);
            RC_ASSERT(d.queue_bytes == bytes);
            const bool full =
                !c.config.rate.empty() &&
                ((c.config.queue_packets > 0 && packets >= c.config.queue_packets) ||
                 (c.config.queue_bytes > 0 && bytes + c.arrivals[i].ip_bytes > c.config.queue_bytes));
            RC_ASSERT((d.drop == DropCause::queue_full) == full);
            if (full || c.config.rate.empty()) {
                RC_ASSERT(d.departed == d.arrived);
            } else {
                queue.emplace_back(d.departed, c.arrivals[i].ip_bytes);
                RC_ASSERT(d.service_start >= last_departure);
                last_departure = d.departed;
            }
            if (d.drop == DropCause::none && !d.out_of_turn) {
                RC_ASSERT(d.deliver - d.departed >= c.config.delay - c.config.jitter);
                RC_ASSERT((c.config.jitter_reorders || d.deliver >= last_in_turn));
                last_in_turn = d.deliver;
            }
        }
    }));
}
