// SPDX-License-Identifier: GPL-2.0-or-later
// Cells that have to be written out. The texts stand in the scratch.
#pragma once

#include "analyzer/base/value.h"
#include "analyzer/capture/segment.h"

#include <cstddef>
#include <span>
#include <string_view>

namespace iscsiscope {

// The LUN's number; for a multi-level or well-known one the field as 0x and 16 digits.
Value lun_cell(std::uint64_t lun, Scratch &);
// "192.0.2.1", "2001:db8::1".
std::string_view address_cell(const IpAddress &, Scratch &);
// Key, ASC and ASCQ in hexadecimal: "05/24/00".
std::string_view sense_cell(std::uint32_t key_asc_ascq, Scratch &);
// The 16 bytes of the header and, from the additional header segments, an extended CDB: hexadecimal.
std::string_view cdb_cell(std::span<const std::byte, 16> cdb, std::span<const std::byte> ahs, Scratch &);

} // namespace iscsiscope
