// SPDX-License-Identifier: GPL-2.0-or-later
// Finds blocks that two hosts write on one logical unit. Hosts are known by their initiator names: sessions
// whose login is not in the capture may be paths of one host, and are left out.
#pragma once

#include "analyzer/cycles/records/records.h"
#include "analyzer/sessions/faults/written_blocks.h"
#include "analyzer/sessions/figures/shared_writes.h"
#include "analyzer/sessions/grouping/member_table.h"

#include <map>
#include <utility>
#include <vector>

namespace iscsiscope {

class SharedWriteTracker {
public:
    static constexpr std::size_t max_luns = 256; // of sessions; further ones are not followed
    static constexpr std::size_t max_pairs = 64; // of hosts

    // Any task that has ended; called only while there is more than one session.
    void task(const Member &, const CycleRecord &);
    // Pairs of hosts that wrote the same blocks of a unit; those that lose data come first.
    std::vector<SharedWrites> take(const MemberTable &, const Luns &) const;

private:
    using SessionLun = std::pair<SessionId, std::uint64_t>;
    struct Written {
        WrittenBlocks blocks;
        bool reserved = false, compared = false;
    };

    std::map<SessionLun, Written> luns_;
};

} // namespace iscsiscope
