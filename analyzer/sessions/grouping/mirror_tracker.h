// SPDX-License-Identifier: GPL-2.0-or-later
// Finds mirror sets (RAID1): LUNs of different sessions that receive the same Writes at the same time.
#pragma once

#include "analyzer/sessions/figures/grouping_figures.h"
#include "analyzer/sessions/grouping/task_tally.h"

#include <array>
#include <memory>
#include <vector>

namespace iscsiscope {

class MirrorTracker {
public:
    static constexpr std::size_t places = 4096;  // Writes kept, by initiator, LBA and length
    static constexpr std::size_t max_pairs = 64; // of LUNs
    static constexpr std::size_t max_copies = 4; // members of one mirror

    void write(const Member &, const CycleRecord &);

    // Returns the pairs with at least 8 common Writes that make up half of the Writes of one member. Units of
    // one group, and LUNs with the same designator or serial number, are no mirror. cells: all tasks of each
    // LUN.
    std::vector<MirrorPair> take(const MemberTable &, const std::vector<TaskTally::Cell> &, const Luns &);

private:
    struct Copy {
        std::uint32_t unit = 0;
        std::uint64_t lun = 0;
        Time start{}, end{}; // at the initiator: members differ in the way to them
        std::uint64_t bytes = 0;
        OptionalFrame frame;                            // of its command
        std::array<std::uint32_t, max_copies> paired{}; // units + 1
    };
    struct Place {
        std::uint32_t initiator = 0;
        std::uint64_t lba = 0, blocks = 0;
        std::array<Copy, max_copies> copies{};
        std::uint32_t count = 0;
    };
    struct Pair {
        std::array<std::uint32_t, 2> units{};
        MirrorPair figures;
    };
    void pair(Copy &, Copy &);

    std::vector<Place> table_;
    std::vector<std::unique_ptr<Pair>> pairs_;
};

} // namespace iscsiscope
