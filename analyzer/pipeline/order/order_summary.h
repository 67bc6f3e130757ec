// SPDX-License-Identifier: GPL-2.0-or-later
// OrderSummary: what was wrong with the order and the clock of a capture.
#pragma once

#include "analyzer/base/ids.h"
#include "analyzer/base/time.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace iscsiscope {

// The clock of the capture was set. It is taken out: times behind it go on where they were.
struct ClockStep {
    FrameNumber frame = 0; // the first one behind it
    Duration by{};         // negative: back
};

// The clock of one of the capture's interfaces, beside that of the interface with the first frame. It is
// taken out: all times are by the clock of that one.
struct InterfaceClock {
    std::uint32_t interface = 0, reference = 0; // places in CaptureInfo::interfaces; of the first frame
    Duration ahead{};                           // of `reference`; negative: behind
    Duration uncertainty{};                     // of `ahead`, to either side
};

struct OrderSummary {
    static constexpr std::size_t max_steps = 64;

    std::uint64_t out_of_order = 0; // segments that were put before others that the file has before them
    Duration furthest{};            // the longest time by which one of them was late in the file
    std::vector<ClockStep> steps;   // the first of them
    std::uint64_t step_count = 0;
    std::vector<InterfaceClock> interfaces; // those whose clocks are apart from that of the first frame's
    std::optional<Duration> resolution;     // of the clock, where it is coarse (ClockResolution)
};

} // namespace iscsiscope
