// SPDX-License-Identifier: GPL-2.0-or-later
// Figures of load: tasks outstanding (DepthFigures), the command window (WindowFigures), and NOP round trips
// with the load at the time of each (NopFigures).
#pragma once

#include "analyzer/base/histogram.h"
#include "analyzer/cycles/records/records.h"
#include "analyzer/sessions/figures/area_bins.h"

#include <memory>
#include <optional>
#include <vector>

namespace iscsiscope {

// A quantity over time: bins of equal width whose width doubles when there are too many (at most 512),
// aligned to multiples of the width since the epoch.
struct Track {
    Time start{};
    Duration width{};
    std::shared_ptr<const AreaBins> bins; // null: the track covers no time

    std::size_t size() const { return bins ? bins->size() : 0; }
    // Mean of the quantity over the time of bin i.
    double mean(std::size_t i) const { return (*bins)[i] / static_cast<double>(to_ns(width)); }
    std::vector<double> means() const;
};

// Tasks outstanding on a connection or in a session. Outstanding: from a command's first_seen to its end.
struct DepthFigures {
    std::uint64_t number = 0; // stream of the connection, or the session group
    Time start{}, end{};      // first command to last end
    std::uint64_t tasks = 0;  // tasks whose command is in the capture
    Track depth;
    double mean_depth = 0; // time mean: area below the depth over start..end
    // Largest number outstanding at the time of a command. Empty for sessions that evidence joined: the
    // engine counted each of their connections apart.
    std::optional<std::uint32_t> most;
    // Little's law over answered tasks: rate times mean response time. It equals mean_depth, except for
    // rounding, when every task was answered; mean_depth alone includes unanswered tasks.
    std::uint64_t answered = 0;
    double rate = 0;          // answered tasks per second over start..end
    Duration mean_response{}; // of answered tasks
    double littles_depth = 0; // rate * mean_response
    double outside_depth = 0; // part of mean_depth due to unanswered tasks: mean_depth - littles_depth
    bool closed() const { return answered == tasks; }
};

// The command window as the initiator knew it: MaxCmdSN - CmdSN + 1, CmdSN being the next number to be sent
// (RFC 7143 section 4.2.2.1). Wherever the tap is, a target PDU takes effect one round trip from tap to
// initiator after it passed: commands that passed in between were sent without knowledge of it. Immediate
// commands neither need nor use the window.
struct WindowFigures {
    GroupId session;
    Time start{}, end{}; // from when both numbers were known to the last PDU
    Track size;          // commands
    std::uint32_t smallest = 0, largest = 0;
    double mean = 0;         // time mean
    Duration closed{};       // time in which the window was 0
    double closed_share = 0; // of start..end
    std::uint64_t closings = 0;
    // Part of closed after which the initiator sent a command at once, so that commands had been waiting. At
    // once: within the greater of an eighth of the round trip and 200 us from the end of the PDU that opened
    // the window.
    Duration closed_waiting{};
    double closed_waiting_share = 0;
    std::uint64_t closings_waiting = 0;
    FrameNumber longest_frame = 0; // PDU that ended the longest such time
    Duration longest{};
    std::uint32_t granted_max = 0; // the largest MaxCmdSN - ExpCmdSN + 1 that the target stated
};

// One NOP-Out or NOP-In and the PDU that answers it (RFC 7143 sections 11.18 and 11.19).
struct NopRow {
    StreamId stream;
    bool by_target = false; // the target sent the request
    Time time{};            // first_seen of the request
    FrameNumber frame = 0;
    OptionalFrame answer_frame; // empty: no answer came
    // delivered(answer) - first_seen(request) at the tap: round trip to the other end and its reaction time.
    std::optional<Duration> round_trip;
    std::uint32_t commands = 0; // outstanding on the connection at the request
    std::uint64_t bytes = 0;    // sum of their ExpectedDataTransferLength
};

struct NopFigures {
    StreamId stream;
    std::uint64_t asked_by_initiator = 0, asked_by_target = 0, unanswered = 0;
    // Requests of which it is not known whether they were answered: sent less than a second and a round trip
    // before the connection or the capture ended, or followed by bytes that could not be read. They have no
    // rows.
    std::uint64_t not_known = 0;
    Histogram round_trip;           // of the initiator's requests, ns
    Histogram round_trip_of_target; // of the target's requests, ns
    Histogram idle_round_trip;      // of the initiator's requests with no command outstanding
    Histogram loaded_round_trip;    // of the initiator's requests with commands outstanding
    std::vector<NopRow> rows;       // unanswered and slowest requests, at most 64, by time
};

} // namespace iscsiscope
