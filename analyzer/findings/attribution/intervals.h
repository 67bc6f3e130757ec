// SPDX-License-Identifier: GPL-2.0-or-later
// The times in which a cause cost time: where the time lost to it lies dense among the busy time, and whether
// these intervals are a part of the capture, or so spread over it that chance would spread them as well.
#pragma once

#include "analyzer/findings/facts/busy_course.h"
#include "analyzer/findings/finding.h"

namespace iscsiscope {

// lost: of a cause; it is dense or not against `concerned`, the busy time of the connections that it was met
// on; the shares are those of all. Where nothing is lost, the result has no intervals. A cause
// holds from the beginning if at most a twentieth of the busy time, and of the Reads and Writes, comes before
// it, and to the end likewise; throughout, if at most a twentieth of the Reads and Writes comes before and
// behind.
FindingTimes times_of(Course lost, Course concerned, const BusyCourse &all);
// The lost time between two times, beginning with a frame.
FindingInterval interval_between(const Course &lost, const BusyCourse &all, Time from, Time until,
                                 OptionalFrame frame);
// The same as times_of() for events, which cost no busy time: their intervals have no share.
FindingTimes times_of_events(const Course &events, Time begin, Time end);

} // namespace iscsiscope
