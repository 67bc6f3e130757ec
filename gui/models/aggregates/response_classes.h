// SPDX-License-Identifier: GPL-2.0-or-later
// Classes of response times, twenty a decade, whose edges are whole nanoseconds: a class that a histogram
// draws is the same set of cycles as the filter that names its edges.
#pragma once

#include "analyzer/base/time.h"

namespace iscsiscope::gui {

inline constexpr int responseClasses = 1520; // class 0 begins at 0 ns, the last one ends above any time
inline constexpr double responseClassesPerDecade = 80;

// Returns the class that holds the time: lowerEdgeOf(c) <= it < lowerEdgeOf(c + 1). A negative time counts as
// 0.
int responseClassOf(Duration);
// Of a class below 0 that of class 0, of one above the last the greatest time.
Duration lowerEdgeOf(int responseClass);

} // namespace iscsiscope::gui
