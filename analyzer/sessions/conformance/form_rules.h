// SPDX-License-Identifier: GPL-2.0-or-later
// FormRules: the rules on what a PDU looks like, whatever came before it (RFC 7143 section 11.2.1), and its
// digests. They are tested on each PDU of the full feature phase: the counts are kept by opcode and summed up
// at the end.
#pragma once

#include "analyzer/sessions/conformance/rule_counts.h"

#include <array>

namespace iscsiscope {

class FormRules {
public:
    explicit FormRules(RuleCounts &counts) : counts_(counts) {}

    void pdu(const Occasion &);
    // Adds what was tested to the counts; to be called once.
    void finish();

private:
    void odd(const Occasion &);
    void digests(const Occasion &);

    RuleCounts &counts_;
    std::array<std::uint64_t, 64> pdus_{}; // by opcode, those that keep all rules of form
};

} // namespace iscsiscope
