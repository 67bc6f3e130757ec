// SPDX-License-Identifier: GPL-2.0-or-later
// Work outstanding, the command window, and pings against the load at that moment.
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
    std::shared_ptr<const AreaBins> bins; // null: no time at all

    std::size_t size() const { return bins ? bins->size() : 0; }
    // Time mean in a bin.
    double mean(std::size_t i) const { return (*bins)[i] / static_cast<double>(to_ns(width)); }
    std::vector<double> means() const;
};

// Tasks outstanding, on one connection or in one session: two figures never mixed. Between a command's
// first_seen and the end of its task.
struct DepthFigures {
    std::uint64_t number = 0; // stream of the connection, or the session group
    Time start{}, end{};      // first command to last end
    std::uint64_t tasks = 0;  // with a command in the capture
    Track depth;
    double mean_depth = 0; // time mean: area below the depth over start..end
    // Most at once, as commands met it. None for sessions that evidence joined: then the engine counted each
    // connection apart.
    std::optional<std::uint32_t> most;
    // Little's law over answered tasks: rate times mean response time. Equal to mean_depth but for rounding
    // when every task was answered; unanswered ones are in mean_depth only.
    std::uint64_t answered = 0;
    double rate = 0;          // answered tasks per second over start..end
    Duration mean_response{}; // of answered ones
    double littles_depth = 0; // rate * mean_response
    double outside_depth = 0; // of mean_depth, by tasks without an answer: makes the two sides equal
    bool closed() const { return answered == tasks; }
};

// The command window as the initiator had it: MaxCmdSN - CmdSN + 1, CmdSN being the next number to be sent
// (RFC 7143 section 4.2.2.1). Wherever the tap is, an answer counts from the loop to the initiator after it
// passed: commands that passed meanwhile were sent without knowledge of it. Immediate commands neither need
// nor use the window.
struct WindowFigures {
    std::uint64_t session = 0;
    Time start{}, end{}; // first MaxCmdSN known to the last PDU
    Track size;          // commands
    std::uint32_t smallest = 0, largest = 0;
    double mean = 0;         // time mean
    Duration closed{};       // the window was 0
    double closed_share = 0; // of start..end
    std::uint64_t closings = 0;
    // Of closed: the initiator sent a command at once when it opened, so that work was waiting. At once:
    // within the greater of an eighth of the whole loop and 200 us, from the end of the opening PDU.
    Duration closed_waiting{};
    double closed_waiting_share = 0;
    std::uint64_t closings_waiting = 0;
    FrameNumber longest_frame = 0; // the PDU that opened it after the longest time closed with work waiting
    Duration longest{};
    std::uint32_t granted_most = 0; // the largest MaxCmdSN - ExpCmdSN + 1 that the target stated
};

// One ping: NOP-Out and the NOP-In that answers it, or the other way round.
struct NopRow {
    std::uint64_t stream = 0;
    bool by_target = false;                  // who asked
    Time time{};                             // first_seen of the question
    FrameNumber frame = 0, answer_frame = 0; // 0: no answer came
    // delivered(answer) - first_seen(question), at the tap: the loop to the other end and its reaction.
    std::optional<Duration> round_trip;
    std::uint32_t commands = 0; // outstanding on the connection when it was asked
    std::uint64_t bytes = 0;    // of their ExpectedDataTransferLength
};

struct NopFigures {
    std::uint64_t stream = 0;
    std::uint64_t asked_by_initiator = 0, asked_by_target = 0, unanswered = 0;
    // Of those asked: asked less than a second and a round trip before the connection or the capture ended,
    // or the answer may lie in what could not be read. No rows are kept of them.
    std::uint64_t not_known = 0;
    Histogram round_trip;           // of the initiator's questions
    Histogram round_trip_of_target; // of the target's
    Histogram idle_round_trip;      // of the initiator's, no command outstanding
    Histogram loaded_round_trip;    // of the initiator's, commands outstanding
    std::vector<NopRow> rows;       // unanswered and slowest ones, at most 64, by time
};

} // namespace iscsiscope
