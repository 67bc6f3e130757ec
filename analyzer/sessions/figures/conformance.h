// SPDX-License-Identifier: GPL-2.0-or-later
// The rules of RFC 7143 that a capture can show to be kept or broken, and the counts of each (RuleRow).
// Names, sections and explanations are in names.cpp; ConformanceTracker counts.
#pragma once

#include "analyzer/cycles/records/records.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace iscsiscope {

enum class Rule : std::uint8_t {
    first_burst_length,      // unsolicited data beyond FirstBurstLength
    max_burst_length_out,    // an R2T asks for more than MaxBurstLength
    max_burst_length_in,     // a Data-In sequence beyond MaxBurstLength
    beyond_r2t,              // Data-Out beyond what its R2T asked for
    max_recv_to_target,      // a data segment longer than the target declared it takes
    max_recv_to_initiator,   // a data segment longer than the initiator declared it takes
    data_sn_order,           // DataSN or R2TSN out of sequence
    data_offset_order,       // Data-In out of order although DataPDUInOrder and DataSequenceInOrder
    max_outstanding_r2t,     // more R2Ts of a task open than MaxOutstandingR2T
    residual,                // residual count and bytes moved do not agree
    command_window,          // a command beyond MaxCmdSN
    allegiance,              // a task's data or status on another connection than its command
    stat_sn_gap,             // a StatSN left out although no byte of the connection is missing
    unsolicited_not_allowed, // unsolicited Data-Out although InitialR2T=Yes
    immediate_not_allowed,   // immediate data although ImmediateData=No
};
inline constexpr std::size_t rule_count = static_cast<std::size_t>(Rule::immediate_not_allowed) + 1;

std::string_view name(Rule);        // snake case
std::string_view section(Rule);     // of RFC 7143, "13.14"
std::string_view explanation(Rule); // what was done wrong, for the report
enum class Offender : std::uint8_t { initiator, target, either };
Offender offender(Rule); // the end that breaks the rule

struct RuleRow {
    Rule rule{};
    std::uint64_t checked = 0; // occasions to break the rule, with the values it needs known; 0: never tested
    std::uint64_t broken = 0;
    std::vector<OptionalFrame> first_frames; // at most 5
};

} // namespace iscsiscope
