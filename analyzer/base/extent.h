// SPDX-License-Identifier: GPL-2.0-or-later
// Extent: from the first of several begins to the last of several ends.
#pragma once

#include "analyzer/base/time.h"

#include <algorithm>

namespace iscsiscope {

struct Extent {
    Time start = Time::max(), end = Time::min(); // until something is added

    bool empty() const { return start == Time::max() && end == Time::min(); }
    Duration length() const { return empty() ? Duration{} : end - start; }
    void add(Time from, Time to) {
        start = std::min(start, from);
        end = std::max(end, to);
    }
    void add(const Extent &other) { add(other.start, other.end); }
    bool touches(const Extent &other) const { return start < other.end && other.start < end; }
};

} // namespace iscsiscope
