// SPDX-License-Identifier: GPL-2.0-or-later
// Finding: a named cause of lost time or failed commands, with its evidence and remedy, as every front end
// shows it (docs/findings.md). The types hold values only, no pointers.
#pragma once

#include "analyzer/base/course/level_change.h"
#include "analyzer/base/ids.h"
#include "analyzer/base/time.h"
#include "analyzer/cycles/records/records.h"
#include "analyzer/findings/kinds.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

enum class Severity : std::uint8_t {
    problem, // explains lost time or failed commands
    notice,  // real, but it costs little time or has no fault to correct
    info,
};
std::string_view name(Severity);

struct EvidenceFrame {
    FrameNumber frame = 0;
    std::string word; // what the frame shows: "R2T", "first data after the wait"
};

// The unit of a figure; front ends format the figure with it.
enum class FigureUnit : std::uint8_t {
    none, // a count or a ratio
    nanoseconds,
    bytes,
    bytes_per_second,
    share, // 0..1
};
std::string_view name(FigureUnit); // "", "ns", "bytes", "bytes/s", "share"

struct Figure {
    std::string name; // snake_case, without its unit
    double value = 0;
    FigureUnit unit = FigureUnit::none;
};

// A part of the capture in which the cause costs much of the time; the edges are those of what was lost.
struct FindingInterval {
    Time from{}, until{};
    OptionalFrame frame{}; // with which it begins
    Duration lost{};
    std::optional<double> share; // of the busy time of all connections in it, 0..1; empty: events
};

// When the cause held (docs/findings.md, "Since when").
struct FindingTimes {
    std::vector<FindingInterval> intervals; // by time, at most 128
    // The same, with those taken together, if they are more than three, that chance would spread so.
    std::vector<FindingInterval> parts;
    bool from_begin = false, to_end = false; // of the busy time: the first part, the last one
    bool throughout = false;                 // one part, of all busy time
    std::optional<LevelChange> level; // of what took longer in the part, if that is how the part was found
    std::string_view level_of;        // what that is, "service time"; static storage
    std::optional<Duration> period;   // from begin to begin of intervals that come at regular times
};

enum class PlaceKind : std::uint8_t { connection, initiator, target, lun, type };
std::string_view name(PlaceKind);

// The subset of the commands on which the cause is concentrated (docs/findings.md, "Which one").
struct FindingPlace {
    std::optional<PlaceKind> kind; // other than type; empty: all, or those of a type
    std::optional<TaskType> type;  // of it, the type of command alone
    StreamId stream;               // a connection of the subset
    std::uint64_t lun = 0;         // one of its logical units; of kind `lun` the one
    // Of kind `initiator` the host's, of kinds `target` and `lun` the target's.
    std::optional<IpAddress> address;
    double part = 0; // of the lost time
    // Lost time over busy time, of the subset and of all other commands.
    double share = 0, share_of_others = 0;

    bool known() const { return kind || type; }
};

struct Finding {
    FindingKind kind{};
    Nature nature = Nature::fault;
    Severity severity = Severity::info;   // of rate() alone
    Severity at_most = Severity::problem; // what is ordinary, or no fault of anybody, is not graver
    std::uint64_t occurrences = 0;        // of what took the times below
    // Part of the connections' busy time: gap time of which this is the primary cause, and transfer time
    // beyond what the path was seen to need. Zero if the finding costs no connection time.
    Duration lost_time{};
    Duration third_wait{};      // of it, in one piece: the third longest; zero: there are less
    OwnerTimes owners;          // of the lost time: whose it is
    double share = 0;           // lost_time over the busy time of all connections, 0..1
    double concerned_share = 0; // the same over the busy time of the connections concerned
    // Time by which tasks took longer although no connection was idle, summed over the tasks, and its share
    // of all tasks' response times. Never added to lost_time.
    Duration task_time{};
    double task_share = 0;
    double count_share = 0;              // of the packets, or of the Reads and Writes, those concerned, 0..1
    std::string title;                   // a few words
    std::string sentence;                // the observation, with its main figures and their units
    std::string remedy;                  // what to do, with names of settings
    std::vector<EvidenceFrame> evidence; // the worst or first few, at most 8, by frame
    std::vector<Figure> figures;
    FindingTimes times;            // of the lost time, or of the events; may be empty
    FindingPlace place;            // of the lost time
    std::string where;             // the same in words: "LUN 2 only: ..."; empty: everywhere
    std::string when;              // the same in words: "Since 5.02 s (frame 812); ..."; empty: throughout
    std::vector<FindingKind> also; // other causes in the same gaps; they count no time for them
    // The connection, session or LUN concerned; all empty if it is the capture as a whole.
    std::optional<StreamId> stream;
    std::optional<SessionId> session;
    std::optional<std::uint64_t> lun;
};

// True if commands, logins or connections failed.
inline bool is_failure(const Finding &f) {
    return f.nature == Nature::failure || f.nature == Nature::consequence;
}

// A cause that was tested for and is absent, with the figure that shows it.
struct RuledOut {
    FindingKind kind{};
    std::string why_not;
};

struct FindingsResult {
    // In the order of docs/findings.md, "Order".
    std::vector<Finding> findings;
    std::vector<RuledOut> ruled_out; // one for each kind that is not among the findings
    Duration busy{};                 // of all connections, in connection time
    Duration explained{};            // the findings' lost time, those too small to be shown included

    const Finding *find(FindingKind) const; // the first of this kind; null if there is none
};

} // namespace iscsiscope
