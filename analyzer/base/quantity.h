// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers with units as the user writes them: "5ms", "64KiB", "0x28", "1.5", "10MB/s", "5%".
#pragma once

#include "analyzer/base/value.h"

#include <optional>
#include <string>
#include <string_view>

namespace iscsiscope {

struct Quantity {
    Value value; // time in nanoseconds, sizes in bytes, shares as 0..1; whole numbers stay whole
    Unit unit = Unit::none;
};

struct QuantityResult {
    std::optional<Quantity> quantity;
    std::size_t length = 0; // characters taken
    std::string error;      // when there is no quantity
};

// Reads one from the front of the text, which begins with a digit or a point.
QuantityResult read_quantity(std::string_view text);
// The whole text is a length of time; a bare number other than 0 is refused (its unit is not known).
std::optional<Duration> parse_duration(std::string_view text);
// A point in time: "2024-05-01T12:00:00.5Z", "2024-05-01 12:00:00+02:00"; UTC where no offset stands.
std::optional<Time> parse_instant(std::string_view text);

} // namespace iscsiscope
