// SPDX-License-Identifier: GPL-2.0-or-later
// The part of the work in which events come, or come more often than else: packets that are lost from a
// moment on. Of events that come at random the first and the last one seldom lie at the ends of what makes
// them.
#pragma once

#include "analyzer/base/course/course.h"

#include <optional>

namespace iscsiscope {

struct EventPart {
    Time from{}, until{};  // times of its first and last event
    FrameNumber frame = 0; // of its first event; 0: not known
    // Chance explains that no event of the part's rate came before it, or behind it.
    bool from_begin = false, to_end = false;
};

// events, work: as add_value() or add() gave them, each counted once. The part in which most more events come
// for the work than outside, if chance puts so many into some part in at most one of a hundred captures
// (Kulldorff, A spatial scan statistic, Communications in Statistics 26, 1997); else the part from the first
// to the last event. Empty if it has less than five events, or if events come in several parts: more than
// chance in a part of this one, or of what is outside, or a pause in it is longer than chance makes it.
std::optional<EventPart> event_part_of(const Course &events, const Course &work);

} // namespace iscsiscope
