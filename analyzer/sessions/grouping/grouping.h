// SPDX-License-Identifier: GPL-2.0-or-later
// Joins connections without a login in the capture to sessions, by the evidence of command_evidence.h.
#pragma once

#include "analyzer/sessions/figures/grouping_figures.h"
#include "analyzer/sessions/grouping/member_table.h"

#include <utility>
#include <vector>

namespace iscsiscope {

class Grouping {
public:
    // Units that one unit is compared with, the latest first.
    static constexpr std::size_t max_compared = 64;

    explicit Grouping(MemberTable &members) : members_(members) {}

    // To be called after each command of the unit. True if evaluate() is due: after 32, 64, 128 ... commands
    // of a unit without a login whose numbers have holes.
    static bool due(const MemberUnit &);
    // Joins the group of this unit to others that the evidence supports. Returns the pairs of root units
    // joined: the second of each pair is now part of the first's group.
    std::vector<std::pair<MemberUnit *, MemberUnit *>> evaluate(MemberUnit &);

    // Returns the groups, after splitting those whose evidence now contradicts the join. To be called once.
    std::vector<SessionGroup> groups();

private:
    bool comparable(const MemberUnit &, const MemberUnit &) const;

    MemberTable &members_;
};

} // namespace iscsiscope
