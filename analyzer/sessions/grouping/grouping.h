// SPDX-License-Identifier: GPL-2.0-or-later
// Joins connections whose logins are not in the capture to sessions, on evidence only.
#pragma once

#include "analyzer/sessions/figures/grouping_figures.h"
#include "analyzer/sessions/grouping/member_table.h"

#include <utility>
#include <vector>

namespace iscsiscope {

class Grouping {
public:
    // Units compared with one at a time: those last met come first.
    static constexpr std::size_t most_compared = 64;

    explicit Grouping(MemberTable &members) : members_(members) {}

    // A command passed; true if it is time to evaluate(): at 32, 64, 128 ... commands of a unit with holes.
    static bool due(const MemberUnit &);
    // Roots that have been joined: the first has become the group of the second.
    std::vector<std::pair<MemberUnit *, MemberUnit *>> evaluate(MemberUnit &);

    // At the end: groups, those that contradict themselves by now taken apart. Call once.
    std::vector<SessionGroup> groups();

private:
    bool comparable(const MemberUnit &, const MemberUnit &) const;
    void join(MemberUnit *a, MemberUnit *b, std::vector<std::pair<MemberUnit *, MemberUnit *>> &joined);

    MemberTable &members_;
};

} // namespace iscsiscope
