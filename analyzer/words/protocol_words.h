// SPDX-License-Identifier: GPL-2.0-or-later
// Codes of iSCSI and SCSI in words.
#pragma once

#include "analyzer/iscsi/codec/opcode.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace iscsiscope {

// "LUN reset requested", "Reject: data digest error".
std::string event_words(Opcode, std::uint8_t code);
// "authentication failed (class 2, detail 1)".
std::string login_status_words(std::uint8_t status_class, std::uint8_t detail);
// "READ(10)", "opcode 0xc1".
std::string command_words(std::uint8_t opcode, std::optional<std::uint16_t> service_action);
// "ILLEGAL REQUEST, INVALID FIELD IN CDB (05/24/00)".
std::string sense_words(std::uint32_t sense);
// "disk", "tape" ...
std::string_view device_words(std::optional<std::uint8_t> type);

} // namespace iscsiscope
