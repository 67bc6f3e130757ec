// SPDX-License-Identifier: GPL-2.0-or-later
// RequestRules: the rules on requests beside SCSI commands and their answers: pings, task management, text,
// logout, SNACK, Reject and Async Message (RFC 7143 sections 11.5 to 11.19).
#pragma once

#include "analyzer/sessions/conformance/connection_rules.h"

namespace iscsiscope {

class RequestRules {
public:
    explicit RequestRules(RuleCounts &counts) : counts_(counts) {}

    // A PDU of the initiator other than Data-Out.
    void request(const MemberOccasion &);
    // A PDU of the target other than Data-In, R2T and SCSI Response.
    void answer(const MemberOccasion &);

private:
    void nop_out(const MemberOccasion &);
    void nop_in(const MemberOccasion &);
    void management(const MemberOccasion &);
    // Takes the request that this PDU answers; if there is none, the rule may be broken.
    std::optional<OpenTags::Entry> answered(Rule, OpenTags &, std::uint32_t tag, const MemberOccasion &);

    RuleCounts &counts_;
};

} // namespace iscsiscope
