// SPDX-License-Identifier: GPL-2.0-or-later
// RecentCounts: how often an end has done one thing or the other. In: each time. Out: both counts, which are
// halved when they reach a bound, so that the recent times count.
#pragma once

#include <cstdint>

namespace iscsiscope {

struct RecentCounts {
    std::uint16_t yes = 0, no = 0;

    void add(bool did, int bound) {
        ++(did ? yes : no);
        if (yes + no >= bound) {
            yes /= 2;
            no /= 2;
        }
    }
    // At least seven of eight times. True if there were none.
    bool mostly() const { return no * 8 <= yes + no; }
};

} // namespace iscsiscope
