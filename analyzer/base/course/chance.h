// SPDX-License-Identifier: GPL-2.0-or-later
// How seldom chance makes a share that large.
#pragma once

#include <cmath>

namespace iscsiscope {

// Of a number of independent trials each succeeds with probability `expected`, 0..1: an upper bound of the
// probability that the share `met` of them or more succeeds (Chernoff's bound of the binomial distribution).
// 1 if `met` is not above `expected`.
inline double chance_of(double trials, double met, double expected) {
    if (met <= expected || expected <= 0)
        return met <= expected ? 1 : 0;
    const auto term = [](double p, double q) { return p > 0 ? p * std::log(p / q) : 0; };
    return std::exp(-trials * (term(met, expected) + term(1 - met, 1 - expected)));
}

} // namespace iscsiscope
