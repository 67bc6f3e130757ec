// SPDX-License-Identifier: GPL-2.0-or-later
// Formats cells whose text is not stored in the row; the returned texts are in the scratch.
#pragma once

#include "analyzer/base/value.h"
#include "analyzer/capture/segment.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace iscsiscope {

// The LUN in decimal; a multi-level or well-known LUN as the 8-byte field, "0x" and 16 digits.
std::string_view lun_cell(std::uint64_t lun, Scratch &);
// "192.0.2.1", "2001:db8::1".
std::string_view address_cell(const IpAddress &, Scratch &);
// Key, ASC and ASCQ in hexadecimal, in a form that no program takes for a date or a number: "5h/24h/00h"; the
// key alone, "5h", where the others are cut.
std::string_view sense_cell(std::uint32_t key_asc_ascq, Scratch &);
// "READ(10)"; "opcode 0xc1" where the command is not known.
std::string_view command_cell(std::uint8_t opcode, std::optional<std::uint16_t> service_action, Scratch &);
// The CDB in hexadecimal: the 16 bytes of the header and the Extended CDB of the additional header segments.
std::string_view cdb_cell(std::span<const std::byte, 16> cdb, std::span<const std::byte> ahs, Scratch &);

} // namespace iscsiscope
