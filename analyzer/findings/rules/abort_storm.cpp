// SPDX-License-Identifier: GPL-2.0-or-later
// Rule abort_storm: tasks aborted or reset by their initiator (RFC 7143 section 11.5.1), and what the target
// answered to that (section 11.6.1).
#include "analyzer/findings/rules/rule_tools.h"

#include <algorithm>

namespace iscsiscope::rules {
namespace {

// What it says of a target that it did not do what it was asked for. words: of the sentence, after "the
// target answered"; remedy: empty where that of the finding holds.
struct Refusal {
    std::uint8_t response; // RFC 7143 section 11.6.1
    std::string_view words, remedy;
};

constexpr std::uint8_t not_supported = 5, no_such_command = 1;

// In order of what explains more.
constexpr Refusal refusals[] = {
    {not_supported, "that it does not support the function",
     "Update the target's software, or replace a target that does not support this function: a host that "
     "cannot "
     "abort one command resets the LUN for all. Then find what delayed the first command: storage or packet "
     "loss."},
    {6, "that the initiator may not use the function",
     "Allow this initiator the function at the target. Then find what delayed the first command that was "
     "given "
     "up: the target's storage, packet loss or a lost answer."},
    {255, "with a refusal (function rejected)",
     "Look in the target's log for why it rejected the function. Then find what delayed the first command "
     "that "
     "was given up: the target's storage, packet loss or a lost answer."},
    {2, "that there is no such LUN",
     "Check whether the LUN is still mapped to this initiator: the target no longer has it. Then let the "
     "host "
     "rescan its disks."},
    {3, "that the command still belongs to its connection",
     "Let the initiator log the lost connection out before it moves commands to another one (Logout for "
     "recovery): the target still counts them there."},
    {4, "that it cannot move commands to another connection",
     "Set ErrorRecoveryLevel below 2: the target does not move commands of a lost connection to another one, "
     "although it was negotiated."},
    {no_such_command, "that it has no such command",
     "Look for packet loss or a restart of the target before the first command that was given up: the "
     "command "
     "or its answer was lost, since the target has no such command. Do not only raise the SCSI timeout "
     "(Linux: "
     "/sys/block/…/device/timeout)."},
};

struct Answers {
    const Refusal *refusal = nullptr; // null: none, or the function was done
    std::uint64_t count = 0;
    const EventRecord *first = nullptr;
};

// Returns the first of the refusals that the target answered with. That it has no such command is no trouble
// where each command had its answer: that and the request passed each other.
Answers answers_of(const Facts &facts, bool given_up) {
    for (const Refusal &r : refusals)
        if (const auto at = facts.events.find({Opcode::task_management_response, r.response});
            at != facts.events.end() && !at->second.first.empty() &&
            (given_up || r.response != no_such_command))
            return {&r, at->second.count, &at->second.first.front()};
    return {};
}

// True if the answers are those to ABORT TASK: only these (or those to a reassignment) name the task that
// they are about.
bool to_aborts(const Answers &a, std::uint64_t aborts) {
    return a.count <= aborts && a.first->referenced_itt;
}

std::string answer_words(const Answers &a, std::uint64_t aborts, bool resets) {
    if (a.refusal == nullptr)
        return {};
    const bool unsupported = a.refusal->response == not_supported, of_abort = to_aborts(a, aborts);
    return " To " + human::plural(a.count, "request", "requests") + (of_abort ? " (ABORT TASK)" : "") +
           " the target answered " + std::string(a.refusal->words) +
           (unsupported && of_abort && resets ? ", so that each timeout becomes a reset." : ".");
}

} // namespace

Verdict abort_storm(const RuleContext &c) {
    std::uint64_t requests = 0, resets = 0, aborts = 0;
    const EventRecord *first = nullptr;
    for (const auto &[key, e] : c.facts.events) {
        if (key.first != Opcode::task_management_request)
            continue;
        requests += e.count;
        aborts +=
            key.second == 1 || key.second == 2 || key.second == 4 ? e.count : 0; // ABORT, CLEAR TASK SET
        resets += key.second >= 5 && key.second <= 7 ? e.count : 0; // LOGICAL UNIT RESET, TARGET RESETs
        for (const EventRecord &r : e.first)
            if (first == nullptr || r.time < first->time)
                first = &r;
    }
    const OutcomeFacts &aborted = c.facts.of(TaskOutcome::aborted), &reset = c.facts.of(TaskOutcome::reset);
    if (requests == 0)
        return none("no task was aborted and no unit reset");
    Finding f = begin_finding(FindingKind::abort_storm, c);
    const std::uint64_t tasks = aborted.count + reset.count;
    const std::uint64_t lost = c.facts.of(TaskOutcome::connection_lost).count;
    const std::uint64_t open = c.facts.of(TaskOutcome::unanswered).count;
    if (tasks > 0 || requests >= 3)
        f.nature = Nature::failure;
    const Answers answers = answers_of(c.facts, tasks > 0);
    if (answers.refusal != nullptr && answers.refusal->response == not_supported)
        f.title = to_aborts(answers, aborts) ? "The target does not support ABORT TASK"
                                             : "The target does not support task management";
    else if (resets == 0 || aborts == 0)
        f.title = resets > 0 ? "LUNs or targets were reset" : "Commands were aborted";
    f.sentence =
        "Initiators asked for " +
        listed({some(aborts, "abort of commands", "aborts of commands"),
                some(resets, "reset of a LUN or target", "resets of LUNs or targets"),
                some(requests - resets - aborts, "other task management function",
                     "other task management functions")}) +
        "; " +
        (tasks > 0 ? human::plural(tasks, "command", "commands") + " ended without an answer after up to " +
                         human::duration(std::max(aborted.longest, reset.longest))
         : lost > 0 ? human::plural(lost, "command was", "commands were") + " lost with the connection"
         : open > 0 ? human::plural(open, "command has", "commands have") + " no answer in the capture"
                    : std::string("no command was left without an answer")) +
        "." + answer_words(answers, aborts, resets > 0);
    const Lost &time = c.lost.to(FindingKind::abort_storm);
    f.sentence += answers.refusal != nullptr ? lost_total(f, time) : lost_sentence(f, time);
    const OutcomeFacts &earlier =
        aborted.count > 0 &&
                (reset.count == 0 || aborted.first_command.value_or(0) < reset.first_command.value_or(0))
            ? aborted
            : reset;
    f.evidence.clear();
    add_evidence(f, earlier.first_command, "the first command that was given up");
    if (first != nullptr)
        add_evidence(f, first->frame, "the first task management request");
    if (answers.first != nullptr)
        add_evidence(f, answers.first->frame, "the target's answer");
    for (const LedgerEntry &e : c.lost.to(FindingKind::abort_storm).waits.worst)
        add_evidence(f, e);
    Course given_up = aborted.course;
    given_up.merge(reset.course);
    if (given_up.empty() && first != nullptr)
        given_up.add(first->time, Duration{1}, first->frame);
    set_events(f, c, given_up);
    add_figure(f, "requests", static_cast<double>(requests));
    add_figure(f, "resets", static_cast<double>(resets));
    add_figure(f, "commands_given_up", static_cast<double>(tasks));
    if (answers.refusal != nullptr)
        add_figure(f, "functions_refused", static_cast<double>(answers.count));
    f.remedy =
        answers.refusal != nullptr
            ? std::string(answers.refusal->remedy)
            : "Find what delayed the first command that was given up: the target's storage, packet loss or "
              "a lost answer. Do not only raise the SCSI timeout (Linux: /sys/block/…/device/timeout, "
              "default 30 s): that hides the cause. Windows logs such resets as event 129 (Storport), ESXi "
              "as "
              "H:0x5 (abort) or H:0x8 (reset).";
    also(f, FindingKind::slow_target, c.lost.to(FindingKind::slow_target).waits.count > 0);
    also(f, FindingKind::packet_loss, segments_of(c.facts).lost > 0);
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
