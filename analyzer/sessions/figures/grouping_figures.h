// SPDX-License-Identifier: GPL-2.0-or-later
// Figures of what belongs together: connections of one session (MC/S, SessionGroup), sessions that are paths
// to one LUN (MPIO, PathGroup) and LUNs that are members of one mirror (RAID1, MirrorPair).
#pragma once

#include "analyzer/base/enum_list.h"
#include "analyzer/base/histogram.h"
#include "analyzer/cycles/records/records.h"
#include "analyzer/sessions/figures/spread.h"

#include <optional>
#include <string>
#include <vector>

namespace iscsiscope {

// The evidence by which the connections of a group are taken for one session.
#define ISCSISCOPE_GROUPED_BY(X)                                                                             \
    X(login)           /* names, ISID, TSIH and CID of the logins: certain, confidence 1 */                  \
    X(command_numbers) /* without a login: CmdSN, window and tag evidence (see confidence) */                \
    /* Without a login: one connection whose command numbers have no holes, so that no other connection can  \
       belong to it. */                                                                                      \
    X(alone)                                                                                                 \
    /* Without a login: too few commands, or holes that no other connection fills. The connection counts as  \
       a session of its own, although it may be part of another. */                                          \
    X(unassigned)
ISCSISCOPE_ENUM(GroupedBy, grouped_by_names, grouped_by_count, ISCSISCOPE_GROUPED_BY)

// One session of the engine, or several that evidence joined.
struct SessionGroup {
    GroupId session; // number of the group: the lowest of its engine sessions
    std::vector<SessionId> sessions;
    std::vector<StreamId> streams;           // its connections, ascending
    std::string initiator_name, target_name; // empty: not known
    GroupedBy by = GroupedBy::unassigned;
    // The probability, 0..1, that the grouping is right.
    // login: 1.
    // command_numbers: the probability by the rule of succession, (agreeing + 1) / (agreeing + contradicting
    // + 2), that the next handover of the command number between connections agrees too; that of the unit
    // with the lowest. Connections are joined from 8 handovers on (0.9; from 32 on if they have no address in
    // common) if in at least three of four the numbers passed in order and at most one in a hundred
    // contradicts; from 4 handovers on (0.83) if these lie between long runs of commands and none
    // contradicts. alone: the same formula over the successive commands of the connection, at least 20.
    // unassigned: 0.
    double confidence = 0;
    std::string reason; // the evidence with its figures, for the report
    // Evidence of groups without a login (zero with one), over the latest 1,024 commands of each connection.
    // Handover: CmdSN n on one connection and n + 1 on another; of each connection those with the partner
    // that has most. Contradicting: one CmdSN on two connections; a CmdSN sent on one connection after a
    // target acknowledged it on another; one Initiator Task Tag outstanding on two connections at once.
    std::uint64_t handovers_agreeing = 0, handovers_contradicting = 0;
    std::uint64_t holes = 0, holes_filled = 0; // CmdSNs missing on single connections; found on the others
    std::uint64_t commands = 0;                // commands in the evidence
};

// The load and times of one path. Reads and Writes only.
struct PathShare {
    GroupId session; // group's number
    std::uint64_t lun = 0;
    std::uint64_t tasks = 0, bytes = 0;
    double task_share = 0, byte_share = 0; // of the group's, 0..1
    std::optional<double> iops;            // over the path group's active life (first command to last end)
    Histogram response_time, service_time;
};

#define ISCSISCOPE_SAME_LUN_BY(X) X(designator) X(serial) X(name_and_lun)
ISCSISCOPE_ENUM(SameLunBy, same_lun_by_names, same_lun_by_count, ISCSISCOPE_SAME_LUN_BY)

// Several sessions of one initiator to one LUN, alive at the same time.
struct PathGroup {
    SameLunBy by = SameLunBy::designator;
    bool guess = false; // identified by target name and LUN only, or the initiators' names are not known
    std::string identity;
    std::string initiator; // name, else address
    std::vector<PathShare> paths;
    Spread by_bytes, by_tasks;    // bytes and tasks per path
    std::uint64_t idle_paths = 0; // without a single Read or Write
    Histogram runs;               // Reads and Writes in a row over one path before the next took another
};

// Two LUNs that receive the same Writes of one initiator at the same time (docs/figures.md, "Sessions").
struct MirrorPair {
    struct Member {
        GroupId session;
        std::uint64_t lun = 0;
        std::uint64_t writes = 0; // all Writes to this LUN
        std::uint64_t last = 0; // pairs in which this member answered later and so delayed the mirrored Write
        double held_share = 0;  // last / pairs
        Duration held{};        // sum of the times from the other member's answer to this one's
        Histogram response_time; // of paired Writes
    };
    std::array<Member, 2> members;
    std::uint64_t pairs = 0;
    std::uint64_t ties = 0;    // pairs that ended at the same nanosecond
    std::uint64_t bytes = 0;   // of one member's paired Writes
    double paired_share = 0;   // pairs / Writes of the member with fewer Writes
    Histogram skew;            // |difference of the ends|, ns
    OptionalFrame first_frame; // command of the first pair
};

} // namespace iscsiscope
