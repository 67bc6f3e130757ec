// SPDX-License-Identifier: GPL-2.0-or-later
// TaskRules: the rules on SCSI commands, their tags and their status (RFC 7143 sections 4.2.5.1, 11.2.1.8,
// 11.3, 11.4).
#pragma once

#include "analyzer/base/containers/by_index.h"
#include "analyzer/sessions/conformance/connection_rules.h"

namespace iscsiscope {

class TaskRules {
public:
    explicit TaskRules(RuleCounts &counts) : counts_(counts) {}

    // Returns the new task.
    FollowedTask &command(const MemberOccasion &);
    // Data-In, R2T or SCSI Response: returns its open task; null if it has none here.
    FollowedTask *answer(const MemberOccasion &, const ByIndex<ConnectionRules> &others);
    void response(const MemberOccasion &);

private:
    RuleCounts &counts_;
};

} // namespace iscsiscope
