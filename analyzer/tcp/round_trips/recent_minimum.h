// SPDX-License-Identifier: GPL-2.0-or-later
// RecentMinimum: the least of the last few durations, a windowed minimum as RFC 8985 section 6.2 advises for
// round trips: unlike the least of all it follows a path whose delay has changed.
#pragma once

#include "analyzer/base/time.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace iscsiscope {

// There are two for each connection, so that a duration takes four bytes: one beyond 4.29 s counts as that.
template <std::size_t most>
class RecentMinimum {
public:
    void add(Duration d) {
        constexpr Duration::rep longest = std::numeric_limits<std::uint32_t>::max();
        last_[added_ % most] = static_cast<std::uint32_t>(std::clamp<Duration::rep>(d.count(), 0, longest));
        if (++added_ == 2 * most)
            added_ = most;
    }
    bool full() const { return added_ >= most; }
    // Only if full().
    Duration least() const { return Duration{*std::min_element(last_.begin(), last_.end())}; }

private:
    std::array<std::uint32_t, most> last_{}; // ns
    std::uint32_t added_ = 0;                // modulo most, once full
};

} // namespace iscsiscope
