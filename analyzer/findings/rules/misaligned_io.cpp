// SPDX-License-Identifier: GPL-2.0-or-later
// Rule misaligned_io: commands that begin or end within a block of 4 KiB, which costs the storage extra work.
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/sessions/figures/session_figures.h"

#include <algorithm>

namespace iscsiscope::rules {

Verdict misaligned_io(const RuleContext &c) {
    std::uint64_t commands = 0, misaligned = 0;
    const AccessFigures *worst = nullptr;
    if (c.in.sessions != nullptr)
        for (const AccessFigures &a : c.in.sessions->access) {
            commands += a.commands;
            misaligned += a.misaligned;
            if (a.misaligned > 0 && (worst == nullptr || a.misaligned > worst->misaligned))
                worst = &a;
        }
    if (commands == 0)
        return none("no Read or Write with a known block length");
    const double share = ratio(misaligned, commands);
    if (worst == nullptr || share < 0.1 || misaligned < 10)
        return none(human::count(misaligned) + " of " +
                    human::plural(commands, "Read or Write", "Reads and Writes") +
                    " begin or end inside a block of 4 KiB");
    Finding f = begin_finding(FindingKind::misaligned_io);
    f.count_share = share;
    f.session = first_session(worst->lun.session);
    f.lun = worst->lun.lun;
    f.sentence =
        human::count(misaligned) + " of " + human::plural(commands, "Read or Write", "Reads and Writes") +
        " (" + percent(share) + ")" +
        (worst->misaligned == misaligned ? ", all on LUN " + to_string(Lun{worst->lun.lun}) + "," : "") +
        " begin or end inside a block of 4 KiB. A capture does not show what that costs at the storage.";
    add_figure(f, "misaligned", static_cast<double>(misaligned));
    add_figure(f, "misaligned_share", share, FigureUnit::share);
    for (const FrameNumber frame : worst->misaligned_frames)
        add_evidence(f, frame, "a command that is not aligned");
    f.remedy = "Align partitions and file systems to 1 MiB (Linux: parted … mkpart … 1MiB), on RAID to its "
               "stripe, and let programs use block sizes that are multiples of 4 KiB.";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
