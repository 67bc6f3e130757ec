// SPDX-License-Identifier: GPL-2.0-or-later
// Which connections are one session (MC/S), which sessions are paths to one LUN (MPIO), which are
// members of one mirror (RAID1).
#pragma once

#include "analyzer/base/histogram.h"
#include "analyzer/cycles/records/records.h"
#include "analyzer/sessions/figures/spread.h"

#include <optional>
#include <string>
#include <vector>

namespace iscsiscope {

// On what it rests that a group's connections are one session.
enum class GroupedBy : std::uint8_t {
    login,           // names, ISID, TSIH and CID of the logins: certain, confidence 1
    command_numbers, // without a login: CmdSN, window and tag evidence (see confidence)
    alone,           // without a login: one connection whose command numbers have no holes, so that no other
                     // connection can belong to it
    unassigned,      // without a login: too few commands, or holes that no other connection fills. Taken as a
                     // session of its own, which it need not be
};
std::string_view name(GroupedBy);

// One session as this room sees it: one of the engine's, or several that evidence joined.
struct SessionGroup {
    std::uint64_t session = 0; // number of the group: the lowest of its engine sessions
    std::vector<std::uint64_t> sessions;
    std::vector<std::uint64_t> streams;      // its connections, ascending
    std::string initiator_name, target_name; // empty: not known
    GroupedBy by = GroupedBy::unassigned;
    // login: 1. command_numbers: the weakest link of the group by the rule of succession, (agreeing + 1) /
    // (agreeing + contradicting + 2), over the handovers of the command number between connections: how
    // probable it is that the next one agrees as well. Connections are joined from 8 handovers on (0.9; 32
    // without an address in common), in at least three of four of which the numbers passed in order, and with
    // contradictions in at most one of a hundred; from 4 on (0.83) where these lie between long runs and
    // nothing at all speaks against it. alone: the same over its successive commands, of which there must be
    // 20. unassigned: 0, nothing is claimed.
    double confidence = 0;
    std::string reason; // a sentence with its figures, for people
    // Evidence of groups without a login (zero with one), over the latest 1,024 commands of each connection.
    // A handover: CmdSN n on one connection, n + 1 on another; each connection's most telling partner counts.
    // Contradicting: one number on two connections; a number sent after a target had acknowledged it on the
    // other; one task tag outstanding on both at once.
    std::uint64_t handovers_agreeing = 0, handovers_contradicting = 0;
    std::uint64_t holes = 0, holes_filled = 0; // numbers missing on single connections; found on the others
    std::uint64_t commands = 0;                // looked at
};

// How one path or member fares. Reads and Writes only.
struct PathShare {
    std::uint64_t session = 0; // group's number
    std::uint64_t lun = 0;
    std::uint64_t tasks = 0, bytes = 0;
    double task_share = 0, byte_share = 0; // of the group's, 0..1
    std::optional<double> iops;            // over the path group's active life (first command to last end)
    Histogram response_time, service_time;
};

enum class SameLunBy : std::uint8_t { designator, serial, name_and_lun };
std::string_view name(SameLunBy);

// Several sessions of one initiator to one LUN, alive at the same time.
struct PathGroup {
    SameLunBy by = SameLunBy::designator;
    bool guess = false; // by target name and LUN number, or the initiators' names are not known
    std::string identity;
    std::string initiator; // name, else address
    std::vector<PathShare> paths;
    Spread by_bytes, by_tasks;    // bytes and tasks per path
    std::uint64_t idle_paths = 0; // without a single Read or Write
};

// Two LUNs of two sessions of one initiator that get the same Writes at the same time (definitions.md).
struct MirrorPair {
    struct Member {
        std::uint64_t session = 0, lun = 0;
        std::uint64_t writes = 0; // all that it got
        std::uint64_t last = 0;   // pairs in which it answered later: it held up the mirrored Write
        double held_share = 0;    // last / pairs
        Duration held{};          // sum of the time the other one had answered and this one had not
        Histogram response_time;  // of paired Writes
    };
    std::array<Member, 2> members;
    std::uint64_t pairs = 0;
    std::uint64_t ties = 0;      // ended at the same nanosecond
    std::uint64_t bytes = 0;     // of one member's paired Writes
    double paired_share = 0;     // pairs / Writes of the member that got fewer
    Histogram skew;              // |difference of the ends|, ns
    Histogram start_skew;        // |difference of the starts|, ns
    FrameNumber first_frame = 0; // command of the first pair
};

} // namespace iscsiscope
