// SPDX-License-Identifier: GPL-2.0-or-later
// A mean that changes: a value that is higher in one part of the time than in all other. Finds a service time
// that doubles, which no interval of lost time shows where time was lost before as well.
#pragma once

#include "analyzer/base/course/course.h"

#include <optional>

namespace iscsiscope {

struct LevelChange {
    Time from{}, until{};         // of the part; times of its first and last value
    FrameNumber frame = 0;        // of its first value; 0: not known
    Duration within{}, outside{}; // mean values
    bool from_begin = false, to_end = false;
};

// values: as add_value() gave them. The part is the one whose mean differs most, on the scale of ratios, from
// that of the others, weighted by the numbers of values. Empty if the difference is less than half of the
// lower mean or a millisecond, if one side has less than ten values, or if chance puts as many bins of a side
// above, or below, the middle of the two means in more than one of a hundred captures.
std::optional<LevelChange> level_change_of(const Course &values);

} // namespace iscsiscope
