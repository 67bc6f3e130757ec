// SPDX-License-Identifier: GPL-2.0-or-later
// CycleOptions: the user's settings of the cycles room.
#pragma once

#include "analyzer/base/time.h"

#include <optional>

namespace iscsiscope {

struct CycleOptions {
    std::optional<Duration> gap_threshold; // empty: the adaptive default (docs/figures.md, "Idle gap")
    std::optional<double> position;        // capture position: 0 initiator, 1 target; empty: measured
};

} // namespace iscsiscope
