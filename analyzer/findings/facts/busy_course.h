// SPDX-License-Identifier: GPL-2.0-or-later
// BusyCourse: the course of all busy time, of the Reads and Writes, and of the losses among them.
#pragma once

#include "analyzer/base/course/course.h"

namespace iscsiscope {

// What the lost time of causes is a part of.
struct BusyCourse {
    static constexpr std::size_t max_bins = 4096;

    Course time{max_bins};      // busy time of all connections
    Course transfers{max_bins}; // a nanosecond for each Read and Write, at its command
    Course losses;              // a nanosecond for each lost segment; those before the repair of one are one
};

} // namespace iscsiscope
