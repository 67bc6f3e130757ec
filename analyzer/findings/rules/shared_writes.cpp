// SPDX-License-Identifier: GPL-2.0-or-later
// Rule shared_writes: two hosts write the same blocks of a logical unit in turn, and nothing in the capture
// (reservations, SPC-4 section 5.13; COMPARE AND WRITE, SBC-3 section 5.3) shows that they coordinate it.
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/sessions/figures/session_figures.h"

namespace iscsiscope::rules {
namespace {

std::string writer_words(const SharedWrites &s, std::size_t i) {
    return human::name(s.hosts[i]) + " (" + to_text(s.addresses[i]) + ")";
}

Verdict not_shared(const std::vector<SharedWrites> &all) {
    std::uint64_t handed_over = 0;
    const SharedWrites *coordinated = nullptr;
    for (const SharedWrites &s : all) {
        handed_over += s.handed_over;
        if (s.in_turn > 0 && coordinated == nullptr)
            coordinated = &s;
    }
    if (coordinated != nullptr)
        return none(human::plural(coordinated->in_turn, "range of blocks was", "ranges of blocks were") +
                    " written by two hosts in turn, which coordinate it by " +
                    (coordinated->reserved ? "reservations" : "COMPARE AND WRITE"));
    if (handed_over > 0)
        return none("two hosts wrote the same blocks, one after the other had done with them for good: a "
                    "handover");
    return none("no two hosts wrote the same blocks of a LUN, as far as logins in the capture name them");
}

} // namespace

Verdict shared_writes(const RuleContext &c) {
    if (c.in.sessions == nullptr)
        return none("sessions were not looked at");
    const std::vector<SharedWrites> &all = c.in.sessions->shared_writes;
    const auto at = std::ranges::find_if(
        all, [](const SharedWrites &s) { return s.in_turn > 0 && !s.reserved && !s.compared; });
    if (at == all.end())
        return not_shared(all);
    const SharedWrites &s = *at;
    Finding f = begin_finding(FindingKind::shared_writes);
    // A cluster file system locks blocks by the network, unseen here. None lets two Writes meet, or
    // overwrites what it has not read since.
    if ((s.at_once == 0 && s.stale == 0) || !s.by_designator)
        f.at_most = Severity::notice;
    f.lun = s.lun;
    f.sentence =
        "The hosts " + writer_words(s, 0) + " and " + writer_words(s, 1) + " write the same blocks of LUN " +
        to_string(Lun{s.lun}) + " at " + to_text(s.target) +
        (s.by_designator ? "" : " (one LUN by target name and number)") +
        " in turn: " + human::plural(s.in_turn, "range", "ranges") + " of blocks" +
        (s.at_once > 0 ? ", " + human::count(s.at_once) + " of them at the same time" : std::string()) +
        (s.stale > 0
             ? ", " + human::count(s.stale) + " overwritten without a look at what the other had written"
             : std::string()) +
        ". No reservation and no COMPARE AND WRITE is in the capture.";
    add_evidence(f, s.frames[0], "one host writes the blocks");
    add_evidence(f, s.frames[1], "the other host writes them");
    add_evidence(f, s.frames[2], "they are written again");
    add_figure(f, "ranges_in_turn", static_cast<double>(s.in_turn));
    add_figure(f, "ranges_at_once", static_cast<double>(s.at_once));
    add_figure(f, "ranges_stale", static_cast<double>(s.stale));
    f.remedy =
        "If both names are of one host, a cluster file system coordinates the hosts (VMFS, OCFS2, GFS2, CSV) "
        "or a virtual machine moved, change nothing. Otherwise each overwrites the other's "
        "data: unmount the LUN at one, check "
        "the file system, and admit one initiator only (access list).";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
