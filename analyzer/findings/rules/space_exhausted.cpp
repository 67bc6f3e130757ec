// SPDX-License-Identifier: GPL-2.0-or-later
// Rule space_exhausted: commands ended because the pool behind a thinly provisioned unit has no space left
// for new blocks (SBC-3 section 4.7.3.6: DATA PROTECT, 27/07), or a threshold of it was reached
// (section 4.7.3.7: UNIT ATTENTION, 38/07).
#include "analyzer/findings/rules/refused_units.h"
#include "analyzer/findings/rules/rule_tools.h"
#include "analyzer/findings/rules/sense_words.h"

namespace iscsiscope::rules {
namespace {

Finding begun(const std::vector<RefusedUnit> &units) {
    Finding f = begin_finding(FindingKind::space_exhausted);
    const RefusedUnit &worst = units.front();
    f.lun = worst.key.lun;
    f.session = worst.key.session;
    return f;
}

Verdict nearly_full(const std::vector<RefusedUnit> &units) {
    Finding f = begun(units);
    const Refusals all = total(units);
    f.at_most = Severity::notice;
    f.title = "The pool behind a thin LUN is nearly full";
    f.sentence =
        human::plural(all.count, "command", "commands") + " to " + lun_names(units) +
        " got the UNIT ATTENTION that the pool of storage behind the LUN has reached its threshold (" +
        sense_digits(units.front().by_sense.begin()->first) + "). Writes still succeed.";
    add_evidence(f, all.first_frame, "the threshold is reported");
    add_figure(f, "thresholds_reported", static_cast<double>(all.count));
    f.remedy = "Add space to the pool behind " + lun_names(units) +
               ", or free some, before it is full: Writes to new blocks will fail then.";
    return {std::move(f), {}};
}

// Of a capture that holds only what targets sent: which LUN, its answers do not say.
Verdict full_somewhere(std::uint64_t count, OptionalFrame first, std::uint32_t sense) {
    Finding f = begin_finding(FindingKind::space_exhausted);
    f.nature = Nature::failure;
    f.sentence = human::plural(count, "command", "commands") + " ended with " + sense_text(sense) +
                 ": the pool of storage behind a thin LUN has no space for new blocks. The capture lacks the "
                 "commands, and with them the LUN.";
    add_evidence(f, first, "the target has no space");
    add_figure(f, "without_space", static_cast<double>(count));
    f.remedy =
        "Add space to the pool behind the LUN, or free some (old snapshots, unused volumes, fstrim); then "
        "set a warning threshold at the storage.";
    return {std::move(f), {}};
}

} // namespace

Verdict space_exhausted(const RuleContext &c) {
    const std::vector<RefusedUnit> units = refused_units(c.facts, SenseGroup::space);
    const std::vector<RefusedUnit> warned = refused_units(c.facts, SenseGroup::space_warning);
    if (units.empty())
        for (const auto &[sense, s] : c.facts.senses)
            if (group_of(sense) == SenseGroup::space)
                return full_somewhere(s.count, s.first_frame, sense);
    if (units.empty() && warned.empty())
        return none("no command ended for lack of space behind a thin LUN");
    if (units.empty())
        return nearly_full(warned);
    Finding f = begun(units);
    const Refusals all = total(units);
    const RefusedUnit &worst = units.front();
    f.nature = Nature::failure;
    const std::string luns = lun_names(units);
    f.title = "The pool behind " + luns + " is full (thin provisioning)";
    f.sentence =
        command_words(units) + " to " + luns + " ended with " + sense_text(worst.by_sense.begin()->first);
    if (all.lba)
        f.sentence += ", the first at LBA " + human::count(*all.lba);
    if (all.count > 1)
        f.sentence += ", over " + human::duration(all.last - all.first);
    f.sentence += ": the pool of storage behind the thin LUN has no space for new blocks.";
    std::uint64_t worked = 0;
    for (const RefusedUnit &u : units)
        worked += u.sight != nullptr ? u.sight->worked : 0;
    if (worked > 0)
        f.sentence += " " + human::plural(worked, "other command", "other commands") + " ended well.";
    add_evidence(f, all.first_command, "first command without space");
    add_evidence(f, all.first_frame, "the target has no space");
    add_evidence(f, all.last_frame, "the last one");
    set_events(f, c, course_of_refusals(c.facts, SenseGroup::space));
    add_figure(f, "without_space", static_cast<double>(all.count));
    f.remedy = "Add space to the pool behind " + luns +
               ", or free some (old snapshots, unused volumes, fstrim), before hosts write again; then set a "
               "warning threshold at the storage. Hosts may have paused machines or mounted file systems "
               "read-only.";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
