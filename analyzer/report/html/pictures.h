// SPDX-License-Identifier: GPL-2.0-or-later
// Pictures without script: SVG that takes its colours from the page's style sheet.
#pragma once

#include "analyzer/figures/report.h"

#include <string>

namespace iscsiscope::html {

// Returns a map with time on the x axis (seconds from the capture's first frame; `begin`: of the timeline's
// origin), response time in logarithmic classes on the y axis, and the number
// of tasks as depth of colour. Empty without a task of this type.
std::string heat_map(const Timeline &, TaskType, double begin = 0);
// Returns the PDUs of one cycle between the two hosts, slanted by the measured tap-side round trips.
std::string ladder(const Ladder &);

} // namespace iscsiscope::html
