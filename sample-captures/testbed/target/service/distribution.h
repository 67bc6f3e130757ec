// SPDX-License-Identifier: GPL-2.0-or-later
// A service time by a distribution, whatever the access: constant, uniform, exponential.
#pragma once

#include "sample-captures/testbed/target/service/service_model.h"

#include <random>

namespace iscsiscope::testbed {

struct Distribution {
    enum class Kind { none, constant, uniform, exponential } kind = Kind::none;
    Nanoseconds low{0};  // constant: the value; exponential: the mean
    Nanoseconds high{0}; // uniform only

    Nanoseconds draw(std::mt19937_64 &) const;
};

class DistributionService final : public ServiceModel {
public:
    // serial: the disk serves one access at a time, in order; else all at once (think of a large array).
    DistributionService(Distribution d, bool serial, std::uint64_t seed)
        : distribution_(d), serial_(serial), random_(seed) {}
    Moment finish(const Access &, Moment now) override;

private:
    Distribution distribution_;
    bool serial_;
    std::mt19937_64 random_;
    Moment free_at_{};
};

} // namespace iscsiscope::testbed
