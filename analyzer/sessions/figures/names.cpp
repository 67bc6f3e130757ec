// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/figures/session_figures.h"

#include <algorithm>
#include <array>

namespace iscsiscope {
namespace {

struct RuleText {
    std::string_view name, section, explanation;
    Offender offender;
};

constexpr auto by_initiator = Offender::initiator, by_target = Offender::target, by_either = Offender::either;
constexpr std::array<RuleText, rule_count> rules{{
    {"first_burst_length", "13.14", "more unsolicited data than FirstBurstLength allows", by_initiator},
    {"max_burst_length_out", "13.13", "an R2T asks for more than MaxBurstLength", by_target},
    {"max_burst_length_in", "13.13", "a sequence of Data-In longer than MaxBurstLength", by_target},
    {"beyond_r2t", "11.8.4", "more Data-Out than the R2T asked for", by_initiator},
    {"max_recv_to_target", "13.12", "a data segment longer than the target declared it takes", by_initiator},
    {"max_recv_to_initiator", "13.12", "a data segment longer than the initiator declared it takes",
     by_target},
    {"data_sn_order", "11.7.5", "DataSN or R2TSN out of sequence", by_either},
    {"data_offset_order", "13.18", "Data-In out of order although order was agreed", by_target},
    {"max_outstanding_r2t", "13.17", "more R2Ts of a task open at once than MaxOutstandingR2T", by_target},
    {"residual", "11.4.5", "residual count and bytes moved do not agree", by_target},
    {"command_window", "4.2.2.1", "a command sent beyond the command window", by_initiator},
    {"allegiance", "4.2.5.1", "data or status of a task on another connection than its command", by_target},
    {"stat_sn_gap", "4.2.2.2", "a StatSN left out", by_target},
    {"unsolicited_not_allowed", "13.10", "unsolicited Data-Out although InitialR2T=Yes", by_initiator},
    {"immediate_not_allowed", "13.11", "immediate data although ImmediateData=No", by_initiator},
}};

} // namespace

std::string_view name(Rule r) {
    return rules[static_cast<std::size_t>(r)].name;
}
std::string_view section(Rule r) {
    return rules[static_cast<std::size_t>(r)].section;
}
std::string_view explanation(Rule r) {
    return rules[static_cast<std::size_t>(r)].explanation;
}
Offender offender(Rule r) {
    return rules[static_cast<std::size_t>(r)].offender;
}

std::string_view name(GroupedBy by) {
    constexpr std::array<std::string_view, 4> names{"login", "command_numbers", "alone", "unassigned"};
    return names[static_cast<std::size_t>(by)];
}

std::string_view name(SameLunBy by) {
    constexpr std::array<std::string_view, 3> names{"designator", "serial", "name_and_lun"};
    return names[static_cast<std::size_t>(by)];
}

std::string_view name(DispatchPolicy p) {
    constexpr std::array<std::string_view, 5> names{"single", "round_robin", "least_loaded", "other",
                                                    "unknown"};
    return names[static_cast<std::size_t>(p)];
}

const SessionGroup *SessionFigures::group_of_session(SessionId engine_session) const {
    for (const SessionGroup &g : groups)
        if (std::binary_search(g.sessions.begin(), g.sessions.end(), engine_session))
            return &g;
    return nullptr;
}

const SessionGroup *SessionFigures::group_of_stream(StreamId stream) const {
    for (const SessionGroup &g : groups)
        if (std::binary_search(g.streams.begin(), g.streams.end(), stream))
            return &g;
    return nullptr;
}

} // namespace iscsiscope
