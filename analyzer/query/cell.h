// SPDX-License-Identifier: GPL-2.0-or-later
// Formats cells whose text is not stored in the row; the returned texts are in the scratch.
#pragma once

#include "analyzer/base/value.h"
#include "analyzer/capture/segment.h"

#include <cstddef>
#include <span>
#include <string_view>

namespace iscsiscope {

// The LUN as a number; a multi-level or well-known LUN as the 8-byte field, "0x" and 16 digits.
Value lun_cell(std::uint64_t lun, Scratch &);
// "192.0.2.1", "2001:db8::1".
std::string_view address_cell(const IpAddress &, Scratch &);
// Key, ASC and ASCQ in hexadecimal: "05/24/00".
std::string_view sense_cell(std::uint32_t key_asc_ascq, Scratch &);
// The CDB in hexadecimal: the 16 bytes of the header and the Extended CDB of the additional header segments.
std::string_view cdb_cell(std::span<const std::byte, 16> cdb, std::span<const std::byte> ahs, Scratch &);

} // namespace iscsiscope
