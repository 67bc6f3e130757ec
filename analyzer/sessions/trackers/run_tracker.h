// SPDX-License-Identifier: GPL-2.0-or-later
// Counts how many Reads and Writes in a row a host sends over one path to a logical unit before it takes
// another path (round robin's IOPS setting), in the order in which the commands pass the tap.
#pragma once

#include "analyzer/base/histogram.h"
#include "analyzer/cycles/records/records.h"
#include "analyzer/sessions/grouping/member_table.h"

#include <map>
#include <string>
#include <utility>

namespace iscsiscope {

class RunTracker {
public:
    static constexpr std::size_t max_luns = 4096; // of sessions; further ones are not followed

    explicit RunTracker(const Luns &luns) : luns_(luns) {}

    // Called before the record replaces the one of its LUN, which is known by its designator from now on;
    // runs of paths followed under another name begin anew.
    void lun(const LunRecord &);
    // A SCSI Command was delivered.
    void command(const Member &, const Pdu &);

    // Lengths of the runs that ended, of the logical unit that this LUN of this session is; null: the path
    // never changed.
    const Histogram *runs(SessionId session, std::uint64_t lun) const;

private:
    struct Unit {
        SessionId session; // of the run under way
        std::uint64_t length = 0;
        Histogram runs;
    };
    using SessionLun = std::pair<SessionId, std::uint64_t>;

    Unit *unit(const Member &, const SessionLun &);

    const Luns &luns_;
    std::map<SessionLun, Unit *> paths_;
    std::map<std::string, Unit> units_;
};

} // namespace iscsiscope
