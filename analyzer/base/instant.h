// SPDX-License-Identifier: GPL-2.0-or-later
// Parses dates and times as users write them.
#pragma once

#include "analyzer/base/time.h"

#include <optional>
#include <string_view>

namespace iscsiscope {

// Parses "2024-05-01T12:00:00.5Z" or "2024-05-01 12:00:00+02:00"; without an offset the time is in UTC.
// Returns nothing if the text is not a date and time, or if nanoseconds since 1970 cannot hold it.
std::optional<Time> parse_instant(std::string_view text);

} // namespace iscsiscope
