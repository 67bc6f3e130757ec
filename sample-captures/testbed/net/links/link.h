// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/net/links/link_config.h"
#include "sample-captures/testbed/net/links/loss_model.h"
#include "sample-captures/testbed/net/links/rate_clock.h"

#include <deque>
#include <optional>

namespace iscsiscope::testbed::shim {

enum class DropCause {
    none,
    outage,
    black_hole,
    queue_full,
    loss_random,
    loss_burst,
    loss_every_nth,
    loss_listed,
    unroutable, // decided by the network, never by a link
};
const char *to_string(DropCause cause);

// One direction of a link: a drop-tail queue, the wire's rate, the wire's losses, its delay.
//
// It has no clock: each call gives the time of a packet's arrival and returns when it leaves, or why it
// does not. The same configuration, seed and arrivals give the same decisions. A packet that the
// wire loses has used the queue and the rate, as on a real line.
class Link {
public:
    // `number` differs between the links (and directions) of one run: it selects the random streams.
    Link(LinkConfig config, std::uint64_t seed, std::uint32_t number);

    struct Arrival {
        Instant at; // an arrival earlier than the one before it counts as at the same time
        std::uint32_t ip_bytes = 0;
        bool has_payload = false;
        bool pure_ack = false; // TCP, no payload, neither SYN, FIN nor RST
    };
    struct Decision {
        DropCause drop = DropCause::none;
        Instant arrived;                 // as counted
        Instant service_start;           // first bit leaves the queue
        Instant departed;                // last bit is behind the bottleneck
        Instant deliver;                 // at the far end
        bool duplicated = false;         // a second copy follows at the same instant
        bool out_of_turn = false;        // held back on purpose: others may overtake it
        std::uint64_t queue_packets = 0; // in the queue when it arrived, itself not included
        std::uint64_t queue_bytes = 0;
    };
    Decision admit(const Arrival &arrival);

    const LinkConfig &config() const { return config_; }
    std::uint64_t largest_queue_packets() const { return largest_packets_; }
    std::uint64_t largest_queue_bytes() const { return largest_bytes_; }

private:
    struct Waiting {
        Instant departs;
        std::uint64_t bytes;
    };
    struct Draws {
        DropCause loss = DropCause::none;
        bool duplicate = false;
        bool reorder = false;
        Duration jitter{0};
    };
    Draws draw(bool has_payload);
    bool in_outage(Instant at) const;
    bool queue_takes(std::uint32_t bytes) const;
    Instant fly(Instant departed, bool pure_ack, const Draws &draws, Decision &decision);

    LinkConfig config_;
    LossModel loss_;
    RandomStream jitter_;
    RandomStream reorder_;
    RandomStream duplicate_;
    RateClock clock_;
    std::deque<Waiting> queue_;
    std::uint64_t queued_bytes_ = 0;
    std::uint64_t largest_packets_ = 0;
    std::uint64_t largest_bytes_ = 0;
    Instant last_arrival_;
    Instant last_deliver_;
    Instant hold_until_;
};

// The line between a host and the first rate-limited queue on its path. A shim that wakes up late
// finds several packets at once; without this clock they would fall into the queue as a burst that
// the host never sent.
class AccessClock {
public:
    explicit AccessClock(std::int64_t bits_per_second) : clock_({RateStep{Duration{0}, bits_per_second}}) {}
    Instant pass(Instant at, std::uint64_t bytes) { return clock_.send(at, bytes).end; }

private:
    RateClock clock_;
};

} // namespace iscsiscope::testbed::shim
