// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/base/time.h"

#include <optional>

namespace iscsiscope {

struct CycleOptions {
    std::optional<Duration> gap_threshold; // none: the adaptive default of definitions.md
    std::optional<double> position;        // capture position given by the user, 0..1; none: measured
};

} // namespace iscsiscope
