// SPDX-License-Identifier: GPL-2.0-or-later
// A named cause of lost time or failed commands, with its evidence and remedy, as every front end
// shows it. Plain values; nothing here points into anything else.
#pragma once

#include "analyzer/base/time.h"
#include "analyzer/findings/kinds.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

enum class Severity : std::uint8_t {
    problem, // explains lost time or failed commands
    notice,  // real, but little time, or nobody's fault
    info,
};
std::string_view name(Severity);

struct EvidenceFrame {
    FrameNumber frame = 0;
    std::string word; // what to see in it: "R2T", "first data behind the wait"
};

// What a figure counts; front ends turn it into text with a unit.
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

struct Finding {
    FindingKind kind{};
    Severity severity = Severity::info;
    // Of the connections' active life: gap time of which this is the primary cause, and transfer time
    // beyond what the path was seen to need. Zero for what costs no connection time.
    Duration lost_time{};
    double share = 0; // lost_time over the active life of all connections, 0..1
    // Where tasks took longer without any connection standing still: by how much, summed over them, and
    // its share of all tasks' response times. Never added to lost_time.
    Duration task_time{};
    double task_share = 0;
    bool casts_doubt = false;            // so much is missing that no other finding is certain: shown first
    bool failure = false;                // commands, logins or connections failed
    std::string title;                   // a few words
    std::string sentence;                // what was seen, with its main figures and their units
    std::string remedy;                  // what to do, with names of settings
    std::vector<EvidenceFrame> evidence; // the worst or first few, at most 8, by frame
    std::vector<Figure> figures;
    std::vector<FindingKind> also; // seen in the same gaps, without time of their own
    // What it concerns, where it is not the capture as a whole.
    std::optional<std::uint64_t> stream, session, lun;
};

// A cause that was looked for and is not there, with the figure that says so.
struct RuledOut {
    FindingKind kind{};
    std::string why_not;
};

struct FindingsResult {
    // As they are to be shown: what puts the rest in doubt, failures, then problems, notices, info; each by
    // lost time (queue_depth behind those with half of its).
    std::vector<Finding> findings;
    std::vector<RuledOut> ruled_out; // one for each kind that is not among the findings
    Duration active_life{};          // of all connections, in connection time
    Duration explained{};            // the findings' lost time, those too small to be shown included

    const Finding *find(FindingKind) const; // the first of this kind; null: none
};

} // namespace iscsiscope
