// SPDX-License-Identifier: GPL-2.0-or-later
// GapHistory: the accumulated gap time of one connection up to a given time, from which the idle time inside
// a cycle is computed (docs/figures.md, "Where the time goes").
#pragma once

#include "analyzer/base/time.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace iscsiscope {

// Keeps the last few gaps exactly. A time before these is treated as the end of the last gap dropped.
class GapHistory {
public:
    // In a cut capture, ends of tasks become known seconds later.
    static constexpr std::size_t remembered = 256;

    void add(Time start, Time end) {
        if (gaps_.size() < remembered)
            gaps_.push_back({start, end});
        else
            gaps_[count_ % remembered] = {start, end};
        total_ += end - start;
        ++count_;
    }

    // Total gap time before t.
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
    // Number of gaps that ended at or before t.
    std::uint64_t ended_by(Time t) const {
        std::uint64_t i = count_;
        while (i > oldest() && gaps_[(i - 1) % remembered].end > t)
            --i;
        return i;
    }
    // Number of gaps that began before t.
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
