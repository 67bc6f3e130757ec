// SPDX-License-Identifier: GPL-2.0-or-later
// What one direction of a link does to packets. Times are since the run's time zero.
#pragma once

#include "sample-captures/testbed/common/time.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace iscsiscope::testbed::shim {

// Loss in bursts (Gilbert 1960, Elliott 1963): two states, each with its own loss probability.
struct GilbertElliott {
    double to_bad = 0.0;  // per packet, good -> bad
    double to_good = 1.0; // per packet, bad -> good
    double loss_in_good = 0.0;
    double loss_in_bad = 1.0;
};

struct LossConfig {
    double random = 0.0;
    std::optional<GilbertElliott> burst;
    std::uint64_t every_nth = 0;       // 0: off; n: the n-th, 2n-th, ... packet
    std::vector<std::uint64_t> listed; // sorted, counted from 1
    bool count_data_only = false;      // every_nth and listed count only packets with TCP payload
};

// From `from` on the link sends `bits_per_second`; 0 holds packets until the next step.
struct RateStep {
    Duration from{0};
    std::int64_t bits_per_second = 0;
};

struct Outage {
    Duration from{0};
    Duration until{0}; // exclusive
};

struct LinkConfig {
    Duration delay{0};  // one way
    Duration jitter{0}; // uniform in [-jitter, +jitter], never below zero in all
    bool jitter_reorders = false;
    LossConfig loss;
    std::vector<RateStep> rate;       // empty: not limited; else the first step is at 0, the last is not 0
    std::uint64_t queue_packets = 0;  // bound, the packet in transmission included; 0: none
    std::uint64_t queue_bytes = 0;    // likewise in IP bytes; 0: none
    std::uint32_t overhead_bytes = 0; // added to each packet's IP size on the wire (Ethernet: 38)
    std::optional<std::int64_t> access_rate; // bits a second; empty: twice the highest rate; 0: no clock
    double reorder_probability = 0.0;        // a chosen packet is held back ...
    Duration reorder_delay{0};               // ... by this, and others overtake it
    double duplicate_probability = 0.0;
    std::uint32_t black_hole_mtu = 0; // IP packets above this vanish; 0: off
    std::vector<Outage> outages;      // packets that arrive inside vanish
    Duration ack_hold{0};             // pure ACKs are gathered this long and released together
    bool strip_window_scale = false;  // a SYN's window scale option becomes NOPs
};

} // namespace iscsiscope::testbed::shim
