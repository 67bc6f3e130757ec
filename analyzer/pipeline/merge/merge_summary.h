// SPDX-License-Identifier: GPL-2.0-or-later
// MergeSummary: what was found out about files whose frames were merged by time. A file is identified by its
// index, in the order in which the files were named.
#pragma once

#include "analyzer/base/time.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace iscsiscope {

struct MergedFile {
    std::uint64_t frames = 0;
    OptionalFrame last_frame;        // its last one in the merged capture; empty: none
    std::optional<Time> first, last; // its earliest and latest time
    std::uint64_t segments = 0;      // TCP segments
    std::uint64_t copies = 0;        // of these, segments that another file held before
    std::uint64_t left_out = 0; // of these, segments left out: their connection is taken from another file
    std::uint64_t steps = 0;    // of its clock, backwards by more than FileClock::tolerance
    Duration longest_step{};    // the longest of them
    OptionalFrame first_step;   // the merged frame after the first of them
};

// Acknowledgments in one file came before the data in another that they acknowledge.
struct ClockBehind {
    std::size_t file = 0;        // its clock is behind
    std::size_t other = 0;       // that of this file
    Duration least{};            // by at least so much
    std::uint64_t seen = 0;      // acknowledgments that show it
    FrameNumber first_frame = 0; // the first of them
};

// Two files hold the same packets of a connection.
struct SamePackets {
    std::size_t file = 0, other = 0; // file < other
    std::uint64_t copies = 0;        // of that connection which shows most of them
    // The time from one place of capture to the other, the mean of both ways, if packets of both directions
    // show it. About zero: both files were taken at one place.
    std::optional<Duration> apart;
    Duration later{}; // so much later a packet stands in `other`, negative if earlier; without the way, if it
                      // is known
};

struct MergeSummary {
    std::vector<MergedFile> files;
    std::vector<ClockBehind> clocks;
    std::vector<SamePackets> same;
    bool as_mergecap = true; // frames have the order and numbers that mergecap gives them
    // mergecap ends after this frame, the last one of a file that is cut short or damaged; empty: it does
    // not.
    std::optional<FrameNumber> mergecap_ends;
};

} // namespace iscsiscope
