// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/figures/spread.h"

#include <cmath>

namespace iscsiscope {

Spread spread_of(std::span<const double> values) {
    Spread s;
    s.members = values.size();
    if (values.empty())
        return s;
    const auto n = static_cast<double>(values.size());
    double squares = 0;
    for (const double x : values) {
        s.sum += x;
        squares += x * x;
    }
    s.mean = s.sum / n;
    double distances = 0; // summed from the mean: the difference of two large sums would lose precision
    for (const double x : values)
        distances += (x - s.mean) * (x - s.mean);
    s.deviation = std::sqrt(distances / n);
    if (s.mean != 0)
        s.ratio = s.deviation / s.mean;
    if (squares > 0)
        s.jain = s.sum * s.sum / (n * squares);
    return s;
}

} // namespace iscsiscope
