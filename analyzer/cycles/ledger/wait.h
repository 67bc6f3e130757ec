// SPDX-License-Identifier: GPL-2.0-or-later
// Wait: an idle gap inside the active life, with what it needs to become entries of the ledger.
#pragma once

#include "analyzer/cycles/records/ledger_entry.h"
#include "analyzer/cycles/records/oldest_cycle.h"

#include <algorithm>

namespace iscsiscope {

struct Wait {
    GapRecord gap;
    SessionId session;
    // The oldest open task, or the LUN and the type of the last one if none was open.
    std::optional<CycleId> oldest;
    std::uint64_t lun = 0;
    TaskType type{};
    Duration by_nagle{}; // Nagle's algorithm held what the target had to send; of the path's part

    void show(OldestCycle &seen) const {
        seen.see(gap.cycle);
        seen.see(oldest);
    }
    // Its parts inside the active life, which begins with a frame, so that only its end can lie inside a gap.
    // The path's part stands first, that of the awaited end behind it, the time without a task last.
    Duration path() const { return std::min(gap.path, gap.active_part); }
    Duration end_part() const { return std::min(gap.end_part, gap.active_part - path()); }
    // Takes time without a task off its end.
    void shorten(Duration by) {
        const Duration of_end = std::min(by, end_part()), of_path = std::min(by - of_end, path());
        gap.path = path() - of_path;
        gap.end_part = end_part() - of_end;
        gap.active_part -= of_path + of_end;
    }
    // From the tap to the awaited end, and to the other end; 0: not known.
    Duration distance() const {
        return gap.rtt_to_awaited ? *gap.rtt_to_awaited + gap.rtt_to_other.value_or(Duration{}) : Duration{};
    }
    // The part of path() that the distance does not explain. Of repairs it is all: the network lost segments.
    Duration beyond() const {
        const bool repair = gap.kind == GapKind::path_down || gap.kind == GapKind::retransmission_timeout ||
                            gap.kind == GapKind::fast_retransmit;
        if (repair)
            return path();
        return gap.rtt_to_awaited ? std::max(Duration{}, path() - distance()) : Duration{};
    }
    OwnerTimes owners() const {
        OwnerTimes t;
        t[Owner::network] += path();
        t[gap.end_owner] += end_part();
        t.trouble = beyond();
        return t;
    }
};

} // namespace iscsiscope
