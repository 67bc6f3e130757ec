// SPDX-License-Identifier: GPL-2.0-or-later
// Rule blocking_command: WRITE SAME, UNMAP, copies and cache flushes that delay Reads and Writes of a LUN.
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/iscsi/scsi/cdb.h"

#include <array>

namespace iscsiscope::rules {

Verdict blocking_command(const RuleContext &c) {
    const BlockingFacts &b = c.facts.blocking;
    if (b.commands == 0)
        return none("no WRITE SAME, UNMAP, copy or cache flush took 20 ms");
    if (b.blocked == 0)
        return none("no Read or Write ran during one of the " +
                    human::plural(b.commands, "long command", "long commands"));
    const Transfers kinds = transfers_of(c.facts);
    const double mean_blocked = ratio(b.blocked_time, b.blocked);
    const double mean_free = ratio(b.free_time, b.free);
    if (b.free > 0 && mean_blocked < 2 * mean_free)
        return none(std::string(kinds.more) + " during long commands took " +
                    human::duration(static_cast<std::int64_t>(mean_blocked)) + ", others " +
                    human::duration(static_cast<std::int64_t>(mean_free)));
    Finding f = begin_finding(FindingKind::blocking_command, c);
    std::array<std::byte, 16> cdb{};
    cdb[0] = std::byte{b.opcode};
    f.task_time =
        Duration{static_cast<std::int64_t>((mean_blocked - mean_free) * static_cast<double>(b.blocked))};
    f.task_share = ratio(f.task_time, c.facts.response());
    f.occurrences = b.blocked;
    const std::string longest = std::string(parse_cdb(cdb).name);
    if (b.commands == 1 && longest.size() <= 25)
        f.title = "A long " + longest + " holds up " + kinds.more;
    f.sentence =
        human::plural(b.blocked, kinds.one, kinds.more) + " took " +
        human::duration(static_cast<std::int64_t>(mean_blocked)) + " on average during " +
        (b.commands == 1 ? "a long command" : human::plural(b.commands, "long command", "long commands")) +
        " of the same LUN (the longest: " + longest + ", " + human::duration(b.longest) + ")" +
        (b.free > 0 ? "; others took " + human::duration(static_cast<std::int64_t>(mean_free)) : "") + "." +
        lost_sentence(f, c.lost.to(FindingKind::blocking_command));
    add_figure(f, "long_commands", static_cast<double>(b.commands));
    add_figure(f, "longest", b.longest);
    add_evidence(f, b.command_frame, "the longest such command");
    add_evidence(f, b.end_frame, "its status");
    f.remedy = "Run such commands when the LUN is idle (Linux: fstrim by a timer instead of mount option "
               "discard), or let each of them cover less (Linux: /sys/block/…/queue/discard_max_bytes; ESXi: "
               "VMFS reclaim rate).";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
