// SPDX-License-Identifier: GPL-2.0-or-later
// DataRules: the rules on Data-In, R2T and Data-Out (RFC 7143 sections 11.7, 11.8, 13.10 to 13.19).
#pragma once

#include "analyzer/sessions/conformance/connection_rules.h"

namespace iscsiscope {

class DataRules {
public:
    explicit DataRules(RuleCounts &counts) : counts_(counts) {}

    // Immediate data of a command that has just begun.
    void immediate(const MemberOccasion &, FollowedTask &);
    void data_out(const MemberOccasion &);
    void data_in(const MemberOccasion &, FollowedTask *);
    void r2t(const MemberOccasion &, FollowedTask *);
    // A PDU of any kind: the length of its data segment.
    void length(const MemberOccasion &);

private:
    void unsolicited(const MemberOccasion &, FollowedTask &);
    void solicited(const MemberOccasion &, FollowedTask &);
    void first_burst(const MemberOccasion &, const FollowedTask &, std::uint32_t bytes_before);
    void sequence(const MemberOccasion &, FollowedTask &);

    RuleCounts &counts_;
};

} // namespace iscsiscope
