// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/conformance/number_rules.h"

namespace iscsiscope {
namespace {

// The numbers of a session with one connection, all of whose requests are in the capture.
bool whole_session(const MemberOccasion &o) {
    return o.alone() && o.member.unit->certain;
}

} // namespace

void NumberRules::command_number(const MemberOccasion &o) {
    const CmdSn number = o.view.cmd_sn();
    std::optional<CmdSn> &next = o.state.next_cmd_sn;
    const RuleFigures figures{number.value, next ? next->value : 0};
    if (!o.view.immediate()) {
        if (next)
            counts_.test(Rule::cmd_sn_order, number != *next, o, figures);
        next = number + 1;
    } else if (next && o.view.opcode() != Opcode::task_management_request) {
        // The CmdSN of a task management request may state which commands it concerns.
        counts_.test(Rule::cmd_sn_immediate, number != *next, o, figures);
    }
}

void NumberRules::sent(const MemberOccasion &o) {
    if (o.view.has_cmd_sn() && o.no_recovery && whole_session(o))
        command_number(o);
    const StatSn number = o.view.exp_stat_sn();
    ConnectionRules &s = o.state;
    if (s.exp_stat_sn && o.no_recovery)
        counts_.test(Rule::exp_stat_sn_back, number < *s.exp_stat_sn, o,
                     {number.value, s.exp_stat_sn->value});
    s.exp_stat_sn = s.exp_stat_sn ? newer(*s.exp_stat_sn, number) : number;
    if (!s.next_stat_sn)
        return;
    if (number > *s.next_stat_sn)
        s.suspicions.add(Rule::exp_stat_sn_ahead, o, {number.value, s.next_stat_sn->value});
    else
        counts_.kept(Rule::exp_stat_sn_ahead);
}

void NumberRules::window(const MemberOccasion &o, bool inside) {
    // The largest MaxCmdSN is known only if all connections of the session are in the capture.
    if (!o.member.unit->certain)
        return;
    if (inside)
        counts_.kept(Rule::command_window);
    else
        o.state.suspicions.add(Rule::command_window, o,
                               {o.view.cmd_sn().value, o.state.max_cmd_sn ? o.state.max_cmd_sn->value : 0});
}

void NumberRules::status_number(const MemberOccasion &o) {
    const StatSn number = o.view.stat_sn();
    std::optional<StatSn> &next = o.state.next_stat_sn;
    const std::int32_t ahead = next ? distance(*next, number) : 0;
    const RuleFigures figures{number.value, next ? next->value : 0};
    if (!o.view.consumes_stat_sn()) {
        // An Async Message uses its number up; R2T and the target's own NOP-In do not.
        if (next && o.no_recovery)
            counts_.test(Rule::stat_sn_not_next, ahead != 0, o, figures);
        return;
    }
    if (next && ahead >= 0) // an older StatSN is a repetition
        counts_.test(Rule::stat_sn_gap, ahead > 0, o, figures);
    if (next && o.no_recovery)
        counts_.test(Rule::stat_sn_repeated, ahead < 0, o, figures);
    if (!next || ahead >= 0)
        next = number + 1;
}

void NumberRules::answered(const MemberOccasion &o) {
    if (o.view.has_stat_sn())
        status_number(o);
    const CmdSn expected = o.view.exp_cmd_sn(), max = o.view.max_cmd_sn();
    counts_.test(Rule::max_cmd_sn_low, max < expected - 1, o, {max.value, expected.value});
    ConnectionRules &s = o.state;
    s.max_cmd_sn = s.max_cmd_sn ? newer(*s.max_cmd_sn, max) : max;
    if (!whole_session(o) || !o.no_recovery)
        return;
    if (s.exp_cmd_sn)
        counts_.test(Rule::exp_cmd_sn_back, expected < *s.exp_cmd_sn, o,
                     {expected.value, s.exp_cmd_sn->value});
    if (s.next_cmd_sn && expected > *s.next_cmd_sn) {
        s.suspicions.add(Rule::exp_cmd_sn_ahead, o, {expected.value, s.next_cmd_sn->value});
        return;
    }
    s.exp_cmd_sn = expected;
    counts_.kept(Rule::exp_cmd_sn_ahead, s.next_cmd_sn ? 1 : 0);
}

} // namespace iscsiscope
