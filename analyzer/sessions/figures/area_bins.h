// SPDX-License-Identifier: GPL-2.0-or-later
// The bins of a level over time: the area below the level in each, in nanoseconds. Four bytes a bin while
// they suffice: every session has such tracks, and there may be thousands of sessions.
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

    // area: whole, not negative.
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
    // Empty bins at either end. At most `most` in all: no room is taken for more.
    void grow(std::size_t before, std::size_t behind, std::size_t most);
    // Two neighbours become one: size / 2 + 1 bins. odd: the first one is the second of its pair.
    void halve(bool odd);

private:
    void widen();

    std::vector<std::uint32_t> narrow_;
    std::vector<double> wide_; // in place of narrow_ from the first larger area on: exact up to 2^53
};

} // namespace iscsiscope
