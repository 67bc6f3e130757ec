// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/words/outcome_sentence.h"

#include "analyzer/base/number_format.h"
#include "analyzer/figures/rates.h"
#include "analyzer/figures/report.h"
#include "analyzer/figures/shares.h"
#include "analyzer/figures/totals.h"
#include "analyzer/iscsi/scsi/sense.h"
#include "analyzer/words/kind_words.h"
#include "analyzer/words/share_words.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <vector>

namespace iscsiscope {
namespace {

using Outcomes = std::array<std::uint64_t, task_outcome_count>;

// The tasks that were seen to fail. One whose answer or command is not in the capture was not.
std::uint64_t failed(const Outcomes &all) {
    std::uint64_t n = 0;
    for (std::size_t i = 1; i < all.size(); ++i) {
        const auto o = static_cast<TaskOutcome>(i);
        n += o == TaskOutcome::unanswered || o == TaskOutcome::no_command ? 0 : all[i];
    }
    return n;
}

// "2 aborted, 1 CHECK CONDITION".
std::string failures(const Outcomes &all) {
    std::string s;
    for (std::size_t i = 1; i < all.size(); ++i) {
        const auto o = static_cast<TaskOutcome>(i);
        if (all[i] != 0 && o != TaskOutcome::unanswered && o != TaskOutcome::no_command)
            s += fmt::format("{}{} {}", s.empty() ? "" : ", ", human::count(all[i]), outcome_words(o));
    }
    return s;
}

// The commands whose failure is part of every healthy device scan.
struct Scan {
    std::uint64_t unsupported = 0, attentions = 0;

    std::uint64_t count() const { return unsupported + attentions; }
    std::string words() const {
        std::string s;
        if (unsupported != 0)
            s = fmt::format("{} not supported (harmless)",
                            unsupported == 1 ? "1 scan command is"
                                             : human::count(unsupported) + " scan commands are");
        if (attentions != 0)
            s += fmt::format("{}{} UNIT ATTENTION as after a login (harmless)", s.empty() ? "" : "; ",
                             human::plural(attentions, "command got", "commands got"));
        return s;
    }
};

Scan scan_of(const Report &r) {
    Scan scan;
    for (const SenseTally &t : r.senses) {
        const std::optional<ScanSense> kind = scan_sense(t.sense);
        scan.unsupported += kind == ScanSense::not_supported ? t.of_scan() : 0;
        scan.attentions += kind == ScanSense::first_contact ? t.count - t.of_transfers : 0;
    }
    return scan;
}

// True if a finding says that data of commands with status GOOD are missing or damaged.
bool data_doubtful(const Report &r) {
    return r.findings && (r.findings->find(FindingKind::short_data) != nullptr ||
                          r.findings->find(FindingKind::digest_error) != nullptr);
}

} // namespace

std::string_view no_command_sentence(const Report &r) {
    if (!r.filter.empty() || !r.range.everything())
        return "No command of the capture is in the range and holds for the filter.";
    return r.capture.coverage.connections == 0
               ? "No connection in the capture carries iSCSI: there is no login and no command in it."
               : "No SCSI command in the capture: logins, discovery or keep-alives only.";
}

std::string missed_commands_sentence(const Report &r) {
    if (tasks_known(r))
        return "";
    const double skipped = coverage_shares(r).skipped;
    return skipped > 0
               ? fmt::format("{} of the bytes belong to no PDU that was found: the commands are those "
                             "found, and there were more.",
                             rough_share(skipped))
               : "Not all commands were found: there were more than these.";
}

OutcomeSentence outcome_sentence(const Report &r) {
    Outcomes control = r.of(TaskType::control).outcomes;
    Outcomes io = r.of(TaskType::read).outcomes;
    for (std::size_t i = 0; i < io.size(); ++i)
        io[i] += r.of(TaskType::write).outcomes[i];
    const std::uint64_t io_count = r.of(TaskType::read).count + r.of(TaskType::write).count;
    const Scan scan = scan_of(r);
    std::uint64_t &checked = control[static_cast<std::size_t>(TaskOutcome::check_condition)];
    checked -= std::min(checked, scan.count()); // what is left failed otherwise than in a scan
    const std::uint64_t bad_io = failed(io), bad_control = failed(control);
    const TaskSums all = task_totals(r);
    const std::uint64_t unanswered = all.of(TaskOutcome::unanswered);
    const std::uint64_t no_command = all.of(TaskOutcome::no_command);

    OutcomeSentence s;
    const bool doubtful = data_doubtful(r);
    s.harmless = bad_io == 0 && unanswered == 0 && bad_control == 0 && !doubtful;
    std::vector<std::string> parts;
    if (bad_io == 0 && doubtful && all.count > no_command)
        parts.emplace_back(
            "No command failed by its status, but data are missing or damaged (see the findings)");
    else if (bad_io != 0)
        parts.push_back(fmt::format("{} of {} reads and writes failed: {}", human::count(bad_io),
                                    human::count(io_count), failures(io)));
    else if (s.harmless && scan.count() == 0)
        parts.push_back(all.count == no_command
                            ? "No command is in the capture"
                            : fmt::format("All {} succeeded",
                                          human::plural(all.count - no_command, "command", "commands")));
    else if (io_count != 0 && unanswered == 0)
        parts.emplace_back(no_command == 0 ? "All I/O succeeded" : "All I/O that was seen succeeded");
    if (scan.count() != 0)
        parts.push_back(scan.words());
    if (bad_control != 0)
        parts.push_back(fmt::format("{} failed: {}",
                                    human::plural(bad_control, "other command", "other commands"),
                                    failures(control)));
    if (unanswered != 0)
        parts.push_back(fmt::format("{} no answer in the capture",
                                    human::plural(unanswered, "command has", "commands have")));
    if (no_command != 0)
        parts.push_back(fmt::format("of {} only answers or data are in the capture",
                                    human::plural(no_command, "command", "commands")));
    s.text = fmt::format("{}.", fmt::join(parts, "; "));
    return s;
}

} // namespace iscsiscope
