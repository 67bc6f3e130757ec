// SPDX-License-Identifier: GPL-2.0-or-later
// The one place that decides how grave findings are, which are too small to be shown, and in which order they
// stand. It reads their nature, times and `at_most`; no rule has a severity or an order of its own.
#pragma once

#include "analyzer/findings/finding.h"

namespace iscsiscope {

// Least share of the busy time of the connections concerned, or of all tasks' response times, from which on
// time is a problem.
inline constexpr double problem_from = 0.10;

// True if the work stopped three times or more for half a second or more, each in one wait: a program that
// waits has stopped, however short that is against the capture.
bool stalls(const Finding &);

// Sets the severity of each finding; moves those that cost less than `shown_from` (a share of the busy time
// or of the tasks' time) to ruled_out; sorts the others (docs/findings.md, "Severity" and "Order").
void rate(FindingsResult &, double shown_from);

} // namespace iscsiscope
