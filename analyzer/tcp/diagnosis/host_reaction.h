// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/base/time.h"

namespace iscsiscope {

// The reaction time of a host, including the coarseness of its timers.
inline constexpr Duration host_reaction = std::chrono::microseconds{200};

} // namespace iscsiscope
