// SPDX-License-Identifier: GPL-2.0-or-later
// The rules of RFC 7143 that a capture can show to be kept or broken, and the counts of each (RuleRow).
// ConformanceTracker counts.
#pragma once

#include "analyzer/base/enum_list.h"
#include "analyzer/cycles/records/records.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace iscsiscope {

enum class Offender : std::uint8_t { initiator, target, either };

// Each rule with its section of RFC 7143, the end that breaks it, and what was done wrong, for the report.
#define ISCSISCOPE_RULES(X)                                                                                  \
    X(first_burst_length, "13.14", initiator, "more unsolicited data than FirstBurstLength allows")          \
    X(max_burst_length_out, "13.13", target, "an R2T asks for more than MaxBurstLength")                     \
    X(max_burst_length_in, "13.13", target, "a sequence of Data-In longer than MaxBurstLength")              \
    X(beyond_r2t, "11.8.4", initiator, "more Data-Out than the R2T asked for")                               \
    X(max_recv_to_target, "13.12", initiator, "a data segment longer than the target declared it takes")     \
    X(max_recv_to_initiator, "13.12", target, "a data segment longer than the initiator declared it takes")  \
    X(data_sn_order, "11.7.5", either, "DataSN or R2TSN out of sequence")                                    \
    /* with DataPDUInOrder and DataSequenceInOrder */                                                        \
    X(data_offset_order, "13.18", target, "Data-In out of order although order was agreed")                  \
    X(max_outstanding_r2t, "13.17", target, "more R2Ts of a task open at once than MaxOutstandingR2T")       \
    X(residual, "11.4.5", target, "residual count and bytes moved do not agree")                             \
    X(command_window, "4.2.2.1", initiator, "a command sent beyond the command window")                      \
    X(allegiance, "4.2.5.1", target, "data or status of a task on another connection than its command")      \
    X(stat_sn_gap, "4.2.2.2", target, "a StatSN left out") /* no byte of the connection is missing */        \
    X(unsolicited_not_allowed, "13.10", initiator, "unsolicited Data-Out although InitialR2T=Yes")           \
    X(immediate_not_allowed, "13.11", initiator, "immediate data although ImmediateData=No")

ISCSISCOPE_ENUM(Rule, rule_names, rule_count, ISCSISCOPE_RULES)
std::string_view section(Rule);
std::string_view explanation(Rule);
Offender offender(Rule);

struct RuleRow {
    Rule rule{};
    std::uint64_t checked = 0; // occasions to break the rule, with the values it needs known; 0: never tested
    std::uint64_t broken = 0;
    std::vector<OptionalFrame> first_frames; // at most 5
};

} // namespace iscsiscope
