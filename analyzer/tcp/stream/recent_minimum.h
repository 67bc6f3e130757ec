// SPDX-License-Identifier: GPL-2.0-or-later
// RecentMinimum: the least of the last few durations, a windowed minimum as RFC 8985 section 6.2 advises for
// round trips: unlike the least of all it follows a path whose delay has changed.
#pragma once

#include "analyzer/base/time.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace iscsiscope {

template <std::size_t most>
class RecentMinimum {
public:
    void add(Duration d) {
        last_[next_] = d;
        next_ = static_cast<std::uint8_t>((next_ + 1) % most);
        count_ = static_cast<std::uint8_t>(std::min<std::size_t>(count_ + std::size_t{1}, most));
    }
    bool full() const { return count_ == most; }
    // Only if full().
    Duration least() const { return *std::min_element(last_.begin(), last_.end()); }

private:
    static_assert(most < 256);
    std::array<Duration, most> last_{};
    std::uint8_t next_ = 0, count_ = 0;
};

} // namespace iscsiscope
