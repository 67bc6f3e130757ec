// SPDX-License-Identifier: GPL-2.0-or-later
// Names of sessions' ends, and of the logical units behind their LUNs: paths to one unit have one name.
#pragma once

#include "analyzer/sessions/grouping/member_table.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace iscsiscope {

// Refers to the LUN records, which must outlive it.
struct UnitNames {
    struct Ends {
        std::string host, target_name; // host: the initiator's name, or its address where that is not known
        bool host_named = false;
        std::optional<StreamId> stream;
        Endpoint initiator, target;
    };
    std::map<SessionId, Ends> of_session;
    const Luns &luns;
    std::map<std::pair<SessionId, std::string>, int> uses; // of a designator in a session

    UnitNames(const MemberTable &, const Luns &);
    // By its designator, unless LUNs of one session share it; else by target name and LUN.
    std::string unit(const std::pair<SessionId, std::uint64_t> &session_and_lun) const;
};

} // namespace iscsiscope
