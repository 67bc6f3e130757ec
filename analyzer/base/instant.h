// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/base/time.h"

#include <optional>
#include <string_view>

namespace iscsiscope {

// A point in time: "2024-05-01T12:00:00.5Z", "2024-05-01 12:00:00+02:00"; UTC where no offset stands.
std::optional<Time> parse_instant(std::string_view text);

} // namespace iscsiscope
