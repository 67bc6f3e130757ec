// SPDX-License-Identifier: GPL-2.0-or-later
// GapHistory: the accumulated gap time of one connection up to a given time, from which the idle time inside
// a cycle is computed (docs/figures.md, "Where the time goes").
#pragma once

#include "analyzer/base/containers/bounded_ring.h"
#include "analyzer/base/time.h"

#include <cstddef>
#include <cstdint>

namespace iscsiscope {

// Keeps the last few gaps exactly. A time before these is treated as the end of the last gap dropped.
class GapHistory {
public:
    // In a cut capture, ends of tasks become known seconds later.
    static constexpr std::uint16_t remembered = 256;

    void add(Time start, Time end) {
        gaps_.push_back({start, end});
        total_ += end - start;
        ++count_;
    }

    // Total gap time before t.
    Duration time_before(Time t) const {
        Duration before = total_;
        for (std::size_t i = gaps_.size(); i > 0; --i) {
            const Gap &gap = gaps_[i - 1];
            before -= gap.end - gap.start;
            if (gap.start < t)
                return before + ((t < gap.end ? t : gap.end) - gap.start);
        }
        return before;
    }
    // Number of gaps that ended at or before t.
    std::uint64_t ended_by(Time t) const {
        std::size_t i = gaps_.size();
        while (i > 0 && gaps_[i - 1].end > t)
            --i;
        return count_ - gaps_.size() + i;
    }
    // Number of gaps that began before t.
    std::uint64_t begun_before(Time t) const {
        std::size_t i = gaps_.size();
        while (i > 0 && gaps_[i - 1].start >= t)
            --i;
        return count_ - gaps_.size() + i;
    }

private:
    struct Gap {
        Time start, end;
    };

    BoundedRing<Gap, remembered> gaps_;
    std::uint64_t count_ = 0;
    Duration total_{};
};

} // namespace iscsiscope
