// SPDX-License-Identifier: GPL-2.0-or-later
// Conversions between the LUN field of a header and a logical unit number (SAM-5 section 4.7).
#pragma once

#include "analyzer/iscsi/codec/tags.h"

#include <cstdint>
#include <optional>
#include <string>

namespace iscsiscope {

// The number of a single-level LUN with peripheral (bus 0), flat or extended flat addressing; nullopt for
// well-known and multi-level LUNs.
std::optional<std::uint32_t> lun_number(Lun);

// The field for a number up to 16383: peripheral addressing below 256, flat addressing from 256 on.
Lun make_lun(std::uint16_t number);

// The number in decimal; if it has none, the field as 0x and 16 digits.
std::string to_string(Lun);

} // namespace iscsiscope
