// SPDX-License-Identifier: GPL-2.0-or-later
// Rule protocol_violation: an end broke a rule of RFC 7143, and the other end rejected the PDU, closed the
// connection directly after it, or left its task without an answer. A violation without consequence is a row
// of "RULES BROKEN" alone.
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/iscsi/codec/pdu/session_pdus.h"
#include "analyzer/iscsi/scsi/sense.h"
#include "analyzer/iscsi/scsi/sense_codes.h"
#include "analyzer/sessions/figures/session_figures.h"

#include <algorithm>
#include <fmt/format.h>

namespace iscsiscope::rules {
namespace {

// What the figures of a violation are.
enum class Unit : std::uint8_t { none, bytes, next_number, limit_number, r2ts };

Unit unit_of(Rule rule) {
    switch (rule) {
    case Rule::first_burst_length:
    case Rule::max_burst_length_out:
    case Rule::max_burst_length_in:
    case Rule::beyond_r2t:
    case Rule::max_recv_to_target:
    case Rule::max_recv_to_initiator:
    case Rule::r2t_beyond_command:
    case Rule::data_in_beyond_command:
    case Rule::data_out_beyond_command:
    case Rule::r2t_answered_short:
    case Rule::login_length:
    case Rule::ping_data:
        return Unit::bytes;
    case Rule::command_window:
    case Rule::max_cmd_sn_low:
        return Unit::limit_number;
    case Rule::data_sn_order:
    case Rule::data_offset_order:
    case Rule::r2t_order:
    case Rule::data_out_offset:
    case Rule::cmd_sn_order:
    case Rule::cmd_sn_immediate:
    case Rule::exp_stat_sn_ahead:
    case Rule::exp_stat_sn_back:
    case Rule::exp_cmd_sn_ahead:
    case Rule::exp_cmd_sn_back:
    case Rule::stat_sn_gap:
    case Rule::stat_sn_repeated:
    case Rule::stat_sn_not_next:
    case Rule::management_ref_cmd_sn:
        return Unit::next_number;
    case Rule::max_outstanding_r2t:
        return Unit::r2ts;
    default:
        return Unit::none;
    }
}

// ", 131,072 bytes where 65,536 are allowed", ", CmdSN 53 at MaxCmdSN 52"; empty: the rule has no figures.
// Serial numbers are written as other programs show them.
std::string figure_words(const Violation &v) {
    const bool amount = unit_of(v.rule) == Unit::bytes || unit_of(v.rule) == Unit::r2ts;
    const auto number = [&](std::uint64_t n) { return amount ? human::count(n) : std::to_string(n); };
    const std::string done = number(v.figures.done), allowed = number(v.figures.allowed);
    switch (unit_of(v.rule)) {
    case Unit::bytes:
        return ", " + done + " bytes where " + allowed + " are allowed";
    case Unit::next_number:
        return ", " + done + " where " + allowed + " is right";
    case Unit::limit_number:
        if (v.rule == Rule::max_cmd_sn_low)
            return ", MaxCmdSN " + done + " at ExpCmdSN " + allowed;
        return ", CmdSN " + done + " at MaxCmdSN " + allowed +
               (v.again > 0 ? ", the first of " + human::count(v.again + 1) : "");
    case Unit::r2ts:
        return ", " + done + " of at most " + allowed;
    case Unit::none:
        break;
    }
    return {};
}

// "Reject 0x04, protocol error".
std::string reject_words(const RejectFigures &r) {
    const std::string_view words = reject_reason(r.reason);
    return fmt::format("Reject 0x{:02x}{}{}", r.reason, words.empty() ? "" : ", ", words);
}

// The rejected or violating PDU: "NOP-Out".
std::string pdu_words(const Consequence &c) {
    const auto opcode = c.violation != nullptr ? c.violation->opcode : c.reject->opcode;
    return opcode ? std::string(name(*opcode)) : "PDU";
}

std::string close_words(const Consequence &c) {
    return "closed the connection" + std::string(c.by_reset ? " (RST)" : "") + " " +
           human::duration(c.close_after) + " later";
}

// "ABORTED COMMAND (UNEXPECTED UNSOLICITED DATA)".
std::string failure_words(std::uint32_t sense) {
    if (sense == 0)
        return "the response target failure";
    const std::string_view code =
        sense_code_name(static_cast<std::uint8_t>(sense >> 8), static_cast<std::uint8_t>(sense));
    return std::string(sense_key_name(sense_key_of(sense))) +
           (code.empty() ? "" : " (" + std::string(code) + ")");
}

// What the other end did: "The target rejected it (Reject 0x04, protocol error) and closed the connection 0.1
// ms later."
std::string answer_words(const Consequence &c) {
    const std::string other = c.by_initiator() ? "The target" : "The initiator";
    if (c.violation == nullptr)
        return c.close_frame ? " It " + close_words(c) + "." : std::string();
    if (c.reject != nullptr) {
        const std::string rejected = c.reject->opcode && c.reject->opcode != c.violation->opcode
                                         ? "the " + std::string(name(*c.reject->opcode))
                                         : "it";
        return " " + other + " rejected " + rejected + " (" + reject_words(*c.reject) + ")" +
               (c.close_frame ? " and " + close_words(c) : "") + ".";
    }
    if (c.close_frame)
        return " " + other + " " + close_words(c) + ".";
    if (c.failed)
        return " The target ended the task with " + failure_words(*c.failed) + ".";
    return " The task got no answer; it was given up after " + human::duration(*c.given_up) + ".";
}

// Consequences of one rule by one end, or Rejects without a known rule.
struct Case {
    const Consequence *first = nullptr;
    std::uint64_t times = 0, rejects = 0, closes = 0, given_up = 0, failed = 0;
    std::vector<const Consequence *> all;
    Duration down{}, waited{}; // sums

    bool has(const Consequence &c) const {
        if ((c.violation == nullptr) != (first->violation == nullptr))
            return false;
        return c.violation == nullptr
                   ? c.reject->reason == first->reject->reason
                   : c.violation->rule == first->violation->rule && c.violation->by == first->violation->by;
    }
    void add(const Consequence &c) {
        first = first == nullptr ? &c : first;
        ++times;
        rejects += c.reject != nullptr ? 1 : 0;
        closes += c.close_frame ? 1 : 0;
        given_up += c.given_up ? 1 : 0;
        failed += c.failed ? 1 : 0;
        waited += c.given_up.value_or(Duration{});
        down += c.down.value_or(Duration{});
        all.push_back(&c);
    }
    bool fails() const {
        return closes + given_up + failed > 0 || first->reject->opcode == Opcode::scsi_command;
    }
};

// By rule and end, in order of their first frames. A PDU that breaks several rules is a case of the first.
std::vector<Case> cases_of(const std::vector<Consequence> &all) {
    std::vector<Case> cases;
    std::vector<std::pair<StreamId, FrameNumber>> seen;
    for (const Consequence &c : all) {
        const std::pair at{c.stream(), c.close_frame         ? *c.close_frame
                                       : c.reject != nullptr ? c.reject->frame
                                                             : c.frame()};
        if (std::ranges::find(seen, at) != seen.end())
            continue;
        seen.push_back(at);
        const auto found = std::ranges::find_if(cases, [&](const Case &k) { return k.has(c); });
        (found != cases.end() ? *found : cases.emplace_back()).add(c);
    }
    return cases;
}

std::string sentence(const Case &k) {
    const Consequence &c = *k.first;
    std::string text;
    if (c.violation == nullptr) {
        text = capitalized(end_with_address(c.connection, true)) + " rejected a " + pdu_words(c) + " of " +
               end_with_address(c.connection, false) + " (" + reject_words(*c.reject) +
               "); the capture shows no rule that it breaks.";
    } else {
        text = capitalized(end_with_address(c.connection, !c.by_initiator())) + " broke RFC 7143, section " +
               std::string(section(c.violation->rule)) + ", by " +
               (c.violation->opcode ? "a " + pdu_words(c) + ": " : "") +
               std::string(explanation(c.violation->rule)) + figure_words(*c.violation) + ".";
    }
    text += answer_words(c);
    if (k.closes > 1)
        text += " In all, " + human::count(k.closes) + " connections were lost this way";
    else if (k.times > 1)
        text += " In all, this happened " + human::count(k.times) + " times";
    const std::string back =
        k.down > Duration{} ? "a new login was accepted after " + human::duration(*c.down) : std::string();
    if (k.times > 1)
        text += (back.empty() ? "" : "; the first time, " + back) + ".";
    else if (!back.empty())
        text += " " + capitalized(back) + ".";
    return text;
}

std::string title_of(const Case &k) {
    const Consequence &c = *k.first;
    if (c.violation == nullptr)
        return "The target rejects a " + pdu_words(c) + " as a protocol error";
    const std::string end = c.by_initiator() ? "The initiator" : "The target";
    switch (c.violation->rule) {
    case Rule::first_burst_length:
        return end + " exceeds FirstBurstLength";
    case Rule::max_burst_length_in:
    case Rule::max_burst_length_out:
        return end + " exceeds MaxBurstLength";
    case Rule::command_window:
        return end + " exceeds the command window (MaxCmdSN)";
    case Rule::max_recv_to_target:
    case Rule::max_recv_to_initiator:
        return end + " exceeds MaxRecvDataSegmentLength";
    case Rule::max_outstanding_r2t:
        return end + " exceeds MaxOutstandingR2T";
    default:
        return c.violation->opcode ? end + " breaks the protocol by a " + pdu_words(c)
                                   : end + " breaks the protocol in its login";
    }
}

std::string remedy(const Case &k) {
    const Consequence &c = *k.first;
    const std::string end = c.by_initiator() ? "initiator" : "target";
    const std::string report = "Update the " + end + ", or report these frames to its maker";
    if (c.violation == nullptr)
        return "Look in the target's log for what it objects to, and update initiator and target.";
    switch (c.violation->rule) {
    case Rule::first_burst_length:
    case Rule::unsolicited_not_allowed:
    case Rule::immediate_not_allowed:
        return report + ". Until then let the initiator send no unsolicited data "
                        "(node.session.iscsi.InitialR2T = Yes, node.session.iscsi.ImmediateData = No), or "
                        "raise FirstBurstLength at both ends.";
    case Rule::max_burst_length_in:
    case Rule::max_burst_length_out:
        return report + ". Until then raise MaxBurstLength at both ends, or send smaller requests "
                        "(max_sectors_kb).";
    case Rule::command_window:
        return report +
               ". Until then limit the commands that it sends at once "
               "(node.session.cmds_max, node.session.queue_depth), or raise the target's queue depth "
               "(LIO: default_cmdsn_depth; SPDK: MaxQueueDepth).";
    case Rule::exp_stat_sn_ahead:
    case Rule::nop_out_answer:
    case Rule::nop_out_immediate:
        if (c.violation->opcode == Opcode::nop_out)
            return report + ". Until then switch the target's pings off (LIO: nopin_timeout; SPDK: "
                            "NopInInterval 0).";
        break;
    default:
        break;
    }
    return report + ".";
}

std::string nothing_found(const SessionFigures &s) {
    std::uint64_t kept = 0, broken = 0;
    for (const RuleRow &r : s.conformance.rules) {
        kept += r.checked != 0 && r.broken == 0 ? 1 : 0;
        broken += r.broken != 0 ? 1 : 0;
    }
    if (broken == 0)
        return kept == 0
                   ? std::string("no rule of RFC 7143 could be tested")
                   : human::plural(kept, "rule", "rules") + " of RFC 7143 could be tested, and none was "
                                                            "broken";
    return human::plural(broken, "rule", "rules") + " of RFC 7143 " + (broken == 1 ? "was" : "were") +
           " broken, but no PDU was rejected, no connection closed and no command lost because of it";
}

} // namespace

Verdict protocol_violation(const RuleContext &c) {
    if (c.in.sessions == nullptr)
        return none("the rules of RFC 7143 were not tested");
    const std::vector<Case> cases = cases_of(c.lost.consequences().all());
    if (cases.empty())
        return none(nothing_found(*c.in.sessions));
    const Case &worst = *std::ranges::max_element(
        cases, {}, [](const Case &k) { return std::pair(k.closes + k.given_up + k.failed, k.times); });
    Finding f = begin_finding(FindingKind::protocol_violation, c);
    const bool fails = std::ranges::any_of(cases, &Case::fails);
    if (!fails) {
        f.nature = Nature::fault;
        f.at_most = Severity::notice;
    }
    f.stream = worst.first->stream();
    f.title = title_of(worst);
    f.sentence = sentence(worst);
    f.remedy = remedy(worst);
    for (const Consequence *each : worst.all) {
        if (f.evidence.size() + 4 > 8)
            break;
        if (each->violation != nullptr)
            add_evidence(f, each->violation->frame,
                         pdu_words(*each) + " that breaks section " +
                             std::string(section(each->violation->rule)));
        if (each->reject != nullptr)
            add_evidence(f, each->reject->frame, reject_words(*each->reject));
        add_evidence(f, each->close_frame, each->by_reset ? "RST" : "FIN");
        if (each->failed)
            add_evidence(f, each->violation->failed_frame, "the status");
    }
    std::uint64_t rejects = 0, closes = 0, given_up = 0;
    for (const Case &k : cases) {
        f.task_time += k.waited;
        rejects += k.rejects;
        closes += k.closes;
        given_up += k.given_up;
    }
    // Of the tasks that got no answer, beside the response times of those that did.
    f.task_share = ratio(f.task_time, f.task_time + c.facts.response());
    add_figure(f, "rejects", static_cast<double>(rejects));
    add_figure(f, "connections_closed", static_cast<double>(closes));
    add_figure(f, "tasks_given_up", static_cast<double>(given_up));
    if (worst.down > Duration{})
        add_figure(f, "downtime", worst.down);
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
