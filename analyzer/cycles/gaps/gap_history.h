// SPDX-License-Identifier: GPL-2.0-or-later
// Gap time of one connection up to a moment, for the idle time inside a cycle.
#pragma once

#include "analyzer/base/time.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace iscsiscope {

// Remembers the last few gaps exactly; moments before those are answered as if they lay at the end of
// the last forgotten gap.
class GapHistory {
public:
    static constexpr std::size_t remembered = 16;

    void add(Time start, Time end) {
        if (gaps_.size() < remembered)
            gaps_.push_back({start, end});
        else
            gaps_[count_ % remembered] = {start, end};
        total_ += end - start;
        ++count_;
    }

    // Gap time before t.
    Duration time_before(Time t) const {
        Duration before = total_;
        for (std::uint64_t i = count_; i > oldest(); --i) {
            const Gap &gap = gaps_[(i - 1) % remembered];
            before -= gap.end - gap.start;
            if (gap.start < t)
                return before + ((t < gap.end ? t : gap.end) - gap.start);
        }
        return before;
    }
    // Gaps that have ended at t or before.
    std::uint64_t ended_by(Time t) const {
        std::uint64_t i = count_;
        while (i > oldest() && gaps_[(i - 1) % remembered].end > t)
            --i;
        return i;
    }
    // Gaps that have begun before t.
    std::uint64_t begun_before(Time t) const {
        std::uint64_t i = count_;
        while (i > oldest() && gaps_[(i - 1) % remembered].start >= t)
            --i;
        return i;
    }

private:
    struct Gap {
        Time start, end;
    };
    std::uint64_t oldest() const { return count_ > remembered ? count_ - remembered : 0; }

    std::vector<Gap> gaps_;
    std::uint64_t count_ = 0;
    Duration total_{};
};

} // namespace iscsiscope
