// SPDX-License-Identifier: GPL-2.0-or-later
// Rule config_changes: UNIT ATTENTIONs that report a change of units, of their sizes or of which there are
// come again and again (SPC-4 annex D: 2A/00, 2A/01, 2A/09, 3F/03, 3F/0E and their kin), or SCSI Async
// Messages do (RFC 7143 section 11.9, event 0).
#include "analyzer/findings/rules/refused_units.h"
#include "analyzer/findings/rules/rule_tools.h"
#include "analyzer/findings/rules/sense_words.h"

#include <algorithm>
#include <fmt/format.h>

namespace iscsiscope::rules {
namespace {

// What the sense data reports as changed, for people.
std::string changed_words(std::uint32_t sense) {
    switch (sense & 0xffff) {
    case 0x2a00:
    case 0x2a01:
        return "parameters";
    case 0x2a09:
        return "the capacity";
    case 0x3f01:
    case 0x3f16:
        return "the target's software";
    case 0x3f03:
    case 0x3f05:
        return "the INQUIRY data";
    case 0x3f0e:
        return "the list of mapped LUNs";
    default:
        return "the configuration";
    }
}

// The units that heard of a change of one kind three times or more.
std::vector<RefusedUnit> changed_again(const Facts &facts) {
    std::vector<RefusedUnit> units = refused_units(facts, SenseGroup::configuration);
    std::erase_if(units, [](const RefusedUnit &u) {
        return std::ranges::none_of(u.by_sense, [](const auto &s) { return s.second >= again_and_again; });
    });
    return units;
}

std::uint64_t async_messages(const Facts &facts) {
    const auto at = facts.events.find({Opcode::async_message, std::uint8_t{0}});
    return at != facts.events.end() ? at->second.count : 0;
}

} // namespace

Verdict config_changes(const RuleContext &c) {
    const std::vector<RefusedUnit> units = changed_again(c.facts);
    const std::uint64_t messages = async_messages(c.facts);
    const std::uint64_t once = total(refused_units(c.facts, SenseGroup::configuration)).count;
    if (units.empty() && messages < again_and_again)
        return none(once + messages == 0
                        ? "no UNIT ATTENTION reported a change of LUNs"
                        : human::plural(once + messages, "report", "reports") +
                              " of a changed LUN, none of them a third time for the same: ordinary");
    Finding f = begin_finding(FindingKind::config_changes);
    const Refusals all = total(units);
    const TypeFacts &reads = c.facts.of(TaskType::read), &writes = c.facts.of(TaskType::write);
    const std::uint64_t transfers = reads.count + writes.count;
    set_events(f, c, course_of_refusals(c.facts, SenseGroup::configuration));
    f.count_share = transfers > 0 ? std::min(1.0, ratio(all.of_transfers, transfers)) : 0;
    if (units.empty()) {
        const EventFacts &events = c.facts.events.at({Opcode::async_message, std::uint8_t{0}});
        f.sentence =
            fmt::format("The target sent {} Async Messages that report SCSI events, such as a changed "
                        "list of mapped LUNs or a changed size.",
                        human::count(messages));
        for (const EventRecord &e : events.first)
            add_evidence(f, e.frame, "SCSI event (Async Message)");
        f.stream = events.first.empty() ? std::nullopt : std::optional(events.first.front().stream);
    } else {
        f.lun = units.front().key.lun;
        f.session = units.front().key.session;
        std::map<std::string, std::uint64_t> changes;
        for (const RefusedUnit &u : units)
            for (const auto &[sense, count] : u.by_sense)
                changes[changed_words(sense)] += count;
        std::string kinds;
        for (const auto &[words, count] : changes)
            kinds += fmt::format("{}{} of {}", kinds.empty() ? "" : ", ", human::count(count), words);
        f.sentence =
            fmt::format("{}{} to {} ended with UNIT ATTENTION about changes made again and again ({})",
                        all.of_transfers == all.count && transfers > 0
                            ? fmt::format("{} of ", human::count(all.of_transfers))
                            : std::string(),
                        all.of_transfers == all.count && transfers > 0
                            ? human::plural(transfers, "Read or Write", "Reads and Writes")
                            : command_words(units),
                        lun_names(units), kinds);
        f.sentence +=
            fmt::format(", one every {} over {}.",
                        human::duration((all.last - all.first) /
                                        static_cast<std::int64_t>(std::max<std::uint64_t>(all.count - 1, 1))),
                        human::duration(all.last - all.first));
        if (all.response > Duration{})
            f.sentence +=
                fmt::format(" They took {}, and hosts must send them again.", human::duration(all.response));
        add_evidence(f, all.first_frame, "first UNIT ATTENTION of a change");
        for (const RefusedUnit &u : units)
            add_evidence(f, u.all.last_frame, "last UNIT ATTENTION of a LUN");
        if (messages > 0)
            add_figure(f, "async_messages", static_cast<double>(messages));
        add_figure(f, "changes_reported", static_cast<double>(all.count));
    }
    f.remedy =
        "Find out who changes LUNs at the storage (snapshot or provisioning jobs, automatic growth, scripts "
        "that map and unmap, a cluster that moves volumes), and rescan hosts once after the last change "
        "(Linux: "
        "iscsiadm -m session --rescan).";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
