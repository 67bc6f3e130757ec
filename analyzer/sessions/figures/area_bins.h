// SPDX-License-Identifier: GPL-2.0-or-later
// The bins of a level over time: each holds the area below the level within its span of time, in nanoseconds
// times the level's unit. A bin takes four bytes until one area exceeds 2^32 - 1, then all take eight: every
// session has such tracks, and there may be thousands of sessions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace iscsiscope {

class AreaBins {
public:
    std::size_t size() const { return wide_.empty() ? narrow_.size() : wide_.size(); }
    bool empty() const { return size() == 0; }
    double operator[](std::size_t i) const { return wide_.empty() ? narrow_[i] : wide_[i]; }

    // area: a whole number, not negative.
    void add(std::size_t i, double area) {
        if (wide_.empty()) {
            const double sum = narrow_[i] + area;
            if (sum <= std::numeric_limits<std::uint32_t>::max()) {
                narrow_[i] = static_cast<std::uint32_t>(sum);
                return;
            }
            widen();
        }
        wide_[i] += area;
    }
    // Adds empty bins: `before` at the beginning, `behind` at the end. Memory is reserved for at most `most`.
    void grow(std::size_t before, std::size_t behind, std::size_t most);
    // Merges bins in pairs, leaving size / 2 + 1. odd: the first bin is the second of its pair.
    void halve(bool odd);

private:
    void widen();

    std::vector<std::uint32_t> narrow_;
    std::vector<double> wide_; // replaces narrow_ from the first larger area on; exact up to 2^53
};

} // namespace iscsiscope
