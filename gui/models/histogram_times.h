// SPDX-License-Identifier: GPL-2.0-or-later
// Figures of a Histogram that counts nanoseconds, as lengths of time.
#pragma once

#include "analyzer/base/time.h"

#include <optional>

namespace iscsiscope::gui {

inline std::optional<Duration> asDuration(const std::optional<std::int64_t> &ns) {
    return ns ? std::optional(Duration{*ns}) : std::nullopt;
}

} // namespace iscsiscope::gui
