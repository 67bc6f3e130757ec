// SPDX-License-Identifier: GPL-2.0-or-later
// Pictures that need no script: SVG that takes its colours from the page's style.
#pragma once

#include "analyzer/figures/report.h"

#include <string>

namespace iscsiscope::html {

// Time across, response time upwards in logarithmic classes, tasks as depth of colour. Empty: no task of
// this type.
std::string heat_map(const Timeline &, TaskType);
// The PDUs of one cycle between the two hosts, slanted by the half loops that were measured.
std::string ladder(const Ladder &);

} // namespace iscsiscope::html
