// SPDX-License-Identifier: GPL-2.0-or-later
// The table of SCSI commands: one row per operation code and service action, giving name, group, data
// direction and the layout of the CDB.
#pragma once

#include "analyzer/iscsi/scsi/cdb.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace iscsiscope::scsi_detail {

// The position of LBA and length in the CDB.
enum class Layout : std::uint8_t {
    none,
    rw6,             // LBA 21 bits at 1, length at 4 (0 = 256)
    rw10,            // LBA at 2, length of two bytes at 7
    rw12,            // LBA at 2, length of four bytes at 6
    rw16,            // LBA of eight bytes at 2, length of four at 10
    rw32,            // LBA of eight bytes at 12, length of four at 28
    compare_write16, // LBA of eight bytes at 2, length of one at 13
    atomic16,        // LBA of eight bytes at 2, length of two at 12
    start16,         // LBA of eight bytes at 2, allocation length at 10
    tape6,           // length of three bytes at 2 (blocks with FIXED, else bytes)
    alloc6,          // allocation length of one byte at 4
    inquiry,         // allocation length of two bytes at 3
    alloc7,          // allocation length of two bytes at 7
    alloc6_4,        // allocation length of four bytes at 6
    alloc10_4,       // allocation length of four bytes at 10
};

inline constexpr std::uint16_t any_action = 0xffff;

struct Row {
    std::uint8_t opcode;
    std::uint16_t action; // any_action: the operation code alone determines the command
    std::string_view name;
    CommandGroup group;
    DataDirection direction;
    Layout layout = Layout::none;
};

std::span<const Row> block_commands(); // SPC and SBC
std::span<const Row> tape_commands();  // SSC, where it differs from SPC and SBC

} // namespace iscsiscope::scsi_detail
