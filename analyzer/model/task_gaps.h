// SPDX-License-Identifier: GPL-2.0-or-later
// Keeps idle gaps until the final record of the task whose PDU ended them arrives: gap records come first,
// and the task is needed to classify the wait.
#pragma once

#include "analyzer/base/containers/flat_map.h"
#include "analyzer/cycles/records/records.h"

#include <cstdint>
#include <vector>

namespace iscsiscope {

class TaskGaps {
public:
    static constexpr std::size_t most = 16384; // gaps kept at once

    // Returns false, and does not keep the gap, if it names no task or `most` gaps are kept.
    bool keep(const GapRecord &gap) {
        if (!gap.cycle || kept_ == most)
            return false;
        std::uint32_t at = free_;
        if (at != FlatMap::none) {
            free_ = slots_[at].next;
        } else {
            at = static_cast<std::uint32_t>(slots_.size());
            slots_.emplace_back();
        }
        slots_[at].gap = gap;
        slots_[at].next = first_of_.find(gap.cycle->number);
        first_of_.set(gap.cycle->number, at);
        ++kept_;
        return true;
    }

    // Passes the gaps of the task to `each`, latest first, and removes them.
    template <class Each>
    void take(CycleId cycle, Each each) {
        std::uint32_t at = kept_ == 0 ? FlatMap::none : first_of_.find(cycle.number);
        if (at == FlatMap::none)
            return;
        first_of_.erase(cycle.number);
        while (at != FlatMap::none) {
            Slot &slot = slots_[at];
            each(static_cast<const GapRecord &>(slot.gap));
            const std::uint32_t next = slot.next;
            slot.gap.cycle.reset();
            slot.next = free_;
            free_ = at;
            at = next;
            --kept_;
        }
    }

    // Passes the gaps whose tasks had no final record to `each`, and removes them.
    template <class Each>
    void take_rest(Each each) {
        for (Slot &slot : slots_)
            if (slot.gap.cycle)
                each(static_cast<const GapRecord &>(slot.gap));
        *this = TaskGaps{};
    }

private:
    struct Slot {
        GapRecord gap;
        std::uint32_t next = FlatMap::none;
    };
    std::vector<Slot> slots_;
    FlatMap first_of_; // task → its latest gap
    std::uint32_t free_ = FlatMap::none;
    std::size_t kept_ = 0;
};

} // namespace iscsiscope
