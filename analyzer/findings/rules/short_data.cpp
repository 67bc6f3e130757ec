// SPDX-License-Identifier: GPL-2.0-or-later
// Rule short_data: Reads and Writes that ended with GOOD although data of them were not moved. Without a
// residual count the target breaks RFC 7143 section 11.4.5, and the host takes what it has for the data; with
// one the target gave less than the command asked for.
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/iscsi/scsi/lun.h"

#include <algorithm>

namespace iscsiscope::rules {
namespace {

struct ShortSum {
    std::uint64_t count = 0, bytes = 0, longest = 0;
    const ShortTasks *first = nullptr;

    void add(const ShortTasks &s) {
        count += s.count;
        bytes += s.bytes;
        longest = std::max(longest, s.longest);
        if (first == nullptr || s.first_command.value_or(0) < first->first_command.value_or(0))
            first = &s;
    }
};

std::string where_words(const RuleContext &c, const ShortSum &s) {
    const ConnectionFacts *k = connection_of(c.facts, s.first->stream);
    return ", first on LUN " + to_string(Lun{s.first->lun}) +
           (k != nullptr && k->record.target != Endpoint{} ? " of " + to_text(k->record.target)
                                                           : std::string());
}

std::string up_to_words(const ShortSum &s, const char *one) {
    return s.count > 1 ? " (up to " + human::bytes(s.longest) + " of " + one + ")" : std::string();
}

} // namespace

Verdict short_data(const RuleContext &c) {
    ShortSum reads, writes, stated;
    for (const ShortTasks &s : c.facts.short_tasks)
        (s.stated ? stated : s.type == TaskType::read ? reads : writes).add(s);
    const TypeFacts &r = c.facts.of(TaskType::read), &w = c.facts.of(TaskType::write);
    if (reads.count + writes.count + stated.count == 0)
        return none(r.count + w.count == 0
                        ? "no Read or Write is in the capture"
                        : "no Read or Write that the capture holds whole ended with GOOD and less data than "
                          "it asked for");
    Finding f = begin_finding(FindingKind::short_data);
    const ShortSum &main = reads.count > 0 ? reads : writes.count > 0 ? writes : stated;
    if (reads.count > 0) {
        f.title = "Reads end with GOOD although data are missing";
        f.sentence = "The target ended " + human::plural(reads.count, "Read", "Reads") +
                     " with GOOD but never sent " + human::bytes(reads.bytes) + " of the data" +
                     up_to_words(reads, "a Read") + where_words(c, reads) + "; no residual count says so.";
    } else if (writes.count > 0) {
        f.title = "Writes end with GOOD although data are missing";
        f.sentence = "The target ended " + human::plural(writes.count, "Write", "Writes") +
                     " with GOOD but never asked for " + human::bytes(writes.bytes) + " of the data" +
                     up_to_words(writes, "a Write") + where_words(c, writes) + "; no residual count says so.";
    } else {
        f.title = "Commands end with GOOD and less data than asked for";
        f.sentence = human::plural(stated.count, "Read or Write", "Reads or Writes") +
                     " ended with GOOD and less data than asked for" + where_words(c, stated) + ": " +
                     human::bytes(stated.bytes) + " are missing" + up_to_words(stated, "a command") +
                     ", as their residual counts say.";
    }
    if (reads.count > 0 && writes.count > 0)
        f.sentence += " So did " + human::plural(writes.count, "Write", "Writes") + ".";
    f.stream = main.first->stream;
    f.lun = main.first->lun;
    add_evidence(f, main.first->first_command, "the first command");
    add_evidence(f, main.first->first_status, "its status GOOD");
    add_figure(f, "tasks_short", static_cast<double>(reads.count + writes.count + stated.count));
    add_figure(f, "bytes_missing", static_cast<double>(reads.bytes + writes.bytes + stated.bytes),
               FigureUnit::bytes);
    f.remedy =
        reads.count + writes.count > 0
            ? "Verify the data of this LUN (file system check, backup): the host takes old memory for data "
              "that never came, and data that it wrote may be lost. Give these frames to the target's "
              "vendor and update its software. Digests do not find this."
            : "Look at the target's log and at the size and state of the storage behind this LUN. Check "
              "that the host looks at residual counts: one that does not takes old memory for the data "
              "that are missing.";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
