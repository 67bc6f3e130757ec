// SPDX-License-Identifier: GPL-2.0-or-later
// NumberRules: the rules on CmdSN, ExpCmdSN, MaxCmdSN, StatSN and ExpStatSN (RFC 7143 section 4.2.2).
#pragma once

#include "analyzer/sessions/conformance/connection_rules.h"

namespace iscsiscope {

class NumberRules {
public:
    explicit NumberRules(RuleCounts &counts) : counts_(counts) {}

    // A PDU of the initiator.
    void sent(const MemberOccasion &);
    // A request that uses up a CmdSN, and whether that is within the window that the target had granted.
    void window(const MemberOccasion &, bool inside);
    // A PDU of the target.
    void answered(const MemberOccasion &);

private:
    void command_number(const MemberOccasion &);
    void status_number(const MemberOccasion &);

    RuleCounts &counts_;
};

} // namespace iscsiscope
