// SPDX-License-Identifier: GPL-2.0-or-later
// Measures how unequally a sum is shared among members: standard deviation and Jain's fairness index.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace iscsiscope {

struct Spread {
    std::size_t members = 0; // N
    double sum = 0;
    double mean = 0; // 0 for no members
    // Standard deviation of the population, sqrt(sum of (x_i - mean)^2 / N) (Nomoto et al. 2011, equation 8).
    double deviation = 0;
    std::optional<double> ratio; // deviation / mean; empty if the mean is 0
    // (sum x)^2 / (N * sum x^2): 1 if all are equal, 1/N if one has everything; empty if all are 0.
    std::optional<double> jain;
};

Spread spread_of(std::span<const double>);

} // namespace iscsiscope
