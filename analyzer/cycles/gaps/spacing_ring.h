// SPDX-License-Identifier: GPL-2.0-or-later
// SpacingRing: the last 63 intervals between frames of one direction that continue each other's bytes. They
// keep the packet spacing of a slow link from being taken for an idle gap (docs/figures.md, "Idle gap").
#pragma once

#include "analyzer/base/time.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace iscsiscope {

class SpacingRing {
public:
    static constexpr std::size_t size = 63;

    void add(Duration spacing) {
        constexpr auto most = std::numeric_limits<std::uint32_t>::max();
        spacings_[at_] = spacing.count() < most ? static_cast<std::uint32_t>(spacing.count()) : most;
        at_ = at_ + 1 == size ? 0 : at_ + 1;
        if (count_ < size)
            ++count_;
    }

    // True if the interval is longer than four times the lower quartile (nearest rank), or without spacings.
    bool exceeded_by(Duration interval) const {
        // The quartile is the rank-th smallest: four times it is below the interval exactly if at
        // least that many spacings are. Counting needs no sorting.
        const std::size_t rank = (count_ + 3) / 4;
        std::size_t below = 0;
        for (std::size_t i = 0; i < count_; ++i)
            below += static_cast<std::int64_t>(spacings_[i]) * 4 < interval.count() ? 1 : 0;
        return below >= rank;
    }

private:
    std::array<std::uint32_t, size> spacings_{}; // ns, saturating
    std::size_t count_ = 0, at_ = 0;
};

} // namespace iscsiscope
