// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/net/links/link_config.h"

#include <cstddef>
#include <vector>

namespace iscsiscope::testbed::shim {

// Serialises packets at a rate that may change by schedule. Exact: n packets back to back leave at
// floor(n * bits * 10^9 / rate) after the first bit, not at n rounded times.
class RateClock {
public:
    // `schedule` as LinkConfig::rate; empty means no limit.
    explicit RateClock(std::vector<RateStep> schedule);

    struct Sent {
        Instant start; // first bit
        Instant end;   // last bit
    };
    // The next packet is ready at `at` (not before the one given last). Returns when it is sent.
    Sent send(Instant at, std::uint64_t bytes);

    bool limited() const { return !schedule_.empty(); }
    std::int64_t highest_rate() const;

private:
    void enter_step_at(std::int64_t now_ns);

    std::vector<RateStep> schedule_;
    std::size_t step_ = 0;
    std::int64_t free_ns_ = 0;   // the wire is free from here ...
    std::int64_t remainder_ = 0; // ... plus this / rate nanoseconds (numerator over the step's rate)
};

} // namespace iscsiscope::testbed::shim
