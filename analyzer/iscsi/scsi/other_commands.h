// SPDX-License-Identifier: GPL-2.0-or-later
// The names of the commands that command_table does not treat: those of other device types, obsolete ones,
// and service actions, by T10's list of operation codes (op-num.txt, as of 2026).
#pragma once

#include "analyzer/iscsi/scsi/cdb.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace iscsiscope::scsi_detail {

struct OtherCommand {
    std::uint8_t opcode;
    std::uint16_t action; // or any_action of command_table.h
    DeviceType device;    // unknown: of several types
    std::string_view name;
};
std::span<const OtherCommand> other_commands(); // sorted by code; within one, by service action

// The command of this code and action at a device of this type. A command of exactly that type comes before
// one of several types; for an unknown type, one of several comes before one of a single type. Null: T10
// assigned none.
const OtherCommand *find_other(std::uint8_t opcode, std::optional<std::uint16_t> action, DeviceType);

} // namespace iscsiscope::scsi_detail
