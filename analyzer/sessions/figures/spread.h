// SPDX-License-Identifier: GPL-2.0-or-later
// How unequally a sum is shared: the one place that computes deviation and Jain's index.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace iscsiscope {

struct Spread {
    std::size_t members = 0; // N
    double sum = 0;
    double mean = 0; // 0 for no members
    // sqrt(sum of (x_i - mean)^2 / N): the population's deviation (Nomoto et al. 2011, equation 8).
    double deviation = 0;
    std::optional<double> ratio; // deviation / mean; none when the mean is 0
    // (sum x)^2 / (N * sum x^2): 1 all equal, 1/N one has everything; none when all are 0.
    std::optional<double> jain;
};

Spread spread_of(std::span<const double>);

} // namespace iscsiscope
