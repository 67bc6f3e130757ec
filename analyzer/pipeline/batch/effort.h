// SPDX-License-Identifier: GPL-2.0-or-later
// Effort: the CPU time that reading a capture took, by what was done; measured on request only.
#pragma once

#include "analyzer/base/time.h"

#include <chrono>
#include <ctime>

namespace iscsiscope {

// The parts of a batch are done one behind the other, each for one batch at a time; only `following` is the
// sum of what several threads do.
struct Effort {
    Duration reading{};   // and decoding, and finding the connections
    Duration beginning{}; // connections that are not settled, groups
    Duration following{}; // all groups
    Duration longest{};   // of this, the longest share of each batch: what a thread each would need at least
    Duration ending{};    // ended sessions, late logins
    Duration delivering{};
};

// Adds the CPU time of the calling thread while it exists to one part. No effort: it does nothing.
class EffortTimer {
public:
    EffortTimer(Effort *effort, Duration Effort::*part)
        : sum_(effort != nullptr ? &(effort->*part) : nullptr),
          began_(effort != nullptr ? spent() : Duration{}) {}
    EffortTimer(const EffortTimer &) = delete;
    EffortTimer &operator=(const EffortTimer &) = delete;
    ~EffortTimer() {
        if (sum_ != nullptr)
            *sum_ += spent() - began_;
    }

private:
    static Duration spent() {
        std::timespec t{};
        (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
    }

    Duration *sum_;
    Duration began_;
};

} // namespace iscsiscope
