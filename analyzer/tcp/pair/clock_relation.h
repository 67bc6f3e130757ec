// SPDX-License-Identifier: GPL-2.0-or-later
// The relation of the clocks of two captures, from their matched segments.
#pragma once

#include "analyzer/tcp/pair/connection_match.h"

#include <optional>
#include <vector>

namespace iscsiscope {

// Measures offset and drift. Empty if no segments are matched in both directions.
std::optional<ClockRelation> measure_clocks(const std::vector<ConnectionMatch> &);

// Compares the time stamps with the statement that one clock made them.
SameClockCheck check_same_clock(const std::vector<ConnectionMatch> &, Duration precision);

// The relation of one clock to itself.
ClockRelation same_clock_relation(const SameClockCheck &);

} // namespace iscsiscope
