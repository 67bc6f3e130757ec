// SPDX-License-Identifier: GPL-2.0-or-later
// Sums of tasks by connection, LUN, type and size class. Each task is added to one cell; every table of
// table_figures.h is a sum of cells.
#pragma once

#include "analyzer/base/containers/bounded.h"
#include "analyzer/base/containers/keyed_hash.h"
#include "analyzer/sessions/figures/grouping_figures.h"
#include "analyzer/sessions/figures/table_figures.h"
#include "analyzer/sessions/grouping/member_table.h"

#include <unordered_map>
#include <vector>

namespace iscsiscope {

class TaskTally {
public:
    // Combinations of connection, LUN, type and size class; tasks of others are not counted. A cell takes at
    // most about 20 KB.
    static constexpr std::size_t max_cells = 2048;

    void task(const Member &, const CycleRecord &);

    struct Cell {
        std::uint32_t member = 0;
        std::uint64_t lun = 0;
        TaskType type = TaskType::control;
        std::size_t size = 0; // size_class_count: not known
        TaskRow row;
    };
    const std::vector<Cell> &cells() const { return cells_; }
    TaskTables tables(const MemberTable &) const;

private:
    // `what` packs member, size class and type without loss.
    struct Key {
        std::uint64_t what = 0, lun = 0;
        friend bool operator==(const Key &, const Key &) = default;
    };
    struct Hash {
        std::size_t operator()(const Key &k) const {
            return static_cast<std::size_t>(keyed_hash(k.what, k.lun));
        }
    };
    std::unordered_map<Key, std::size_t, Hash> index_;
    std::vector<Cell> cells_;
    Latest<decltype(index_)> last_;
};

// The name of the connection's initiator or target; its address if the name is not known.
std::string initiator_label(const Member &);
std::string target_label(const Member &);

} // namespace iscsiscope
