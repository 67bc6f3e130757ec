// SPDX-License-Identifier: GPL-2.0-or-later
// Parses command descriptor blocks (SPC-4, SBC-3, SSC-4): the command's name, group and blocks moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace iscsiscope {

// read and write are as defined in docs/figures.md, "Task and cycle": READ 6/10/12/16/32; WRITE
// 6/10/12/16/32, WRITE AND VERIFY, WRITE ATOMIC. The other groups are control commands.
enum class CommandGroup : std::uint8_t {
    read,
    write,
    compare_and_write, // COMPARE AND WRITE, ORWRITE
    verify,            // and PRE-FETCH
    zero,              // WRITE SAME, UNMAP, GET LBA STATUS
    copy,
    flush, // SYNCHRONIZE CACHE, START STOP UNIT
    inventory,
    paths_and_locks, // port groups, reservations, supported opcodes
    other,
};
constexpr bool is_read(CommandGroup g) {
    return g == CommandGroup::read;
}
constexpr bool is_write(CommandGroup g) {
    return g == CommandGroup::write;
}
// True for commands that change or compare the medium although they are neither Read nor Write: discards,
// copies, locks of blocks, flushes. A device scan does without them.
constexpr bool is_work(CommandGroup g) {
    return g == CommandGroup::zero || g == CommandGroup::copy || g == CommandGroup::compare_and_write ||
           g == CommandGroup::verify || g == CommandGroup::flush;
}
std::string_view name(CommandGroup); // "read", "compare and write" ...

// The direction of the command's data by its definition, also if its length is zero.
enum class DataDirection : std::uint8_t { none, from_target, to_target, unknown };

// SCSI peripheral device type (SPC-4 table 138); only those whose commands differ matter.
enum class DeviceType : std::uint8_t { disk = 0x00, tape = 0x01, cd = 0x05, changer = 0x08, unknown = 0x1f };

struct CommandInfo {
    std::uint8_t opcode = 0;
    std::optional<std::uint16_t> service_action;
    std::string_view name = "unknown"; // "READ(10)", "WRITE SAME(16)", "REPORT TARGET PORT GROUPS"
    CommandGroup group = CommandGroup::other;
    DataDirection direction = DataDirection::unknown;
    bool known = false;
    std::optional<std::uint64_t> lba;               // commands that name one
    std::optional<std::uint64_t> blocks;            // logical blocks; 0 in READ(6)/WRITE(6) is given as 256
    std::optional<std::uint32_t> allocation_length; // inventory commands: bytes requested
    bool unmap = false;                             // WRITE SAME with UNMAP
    bool no_data_out = false;                       // WRITE SAME with NDOB: nothing is sent
    bool byte_check = false;                        // VERIFY with BYTCHK: data is sent
    bool fua = false;
    bool vital_product_data = false; // INQUIRY with EVPD
    std::uint8_t page_code = 0;      // INQUIRY page
};

// `cdb` is the CDB as far as it is known: 16 bytes of the basic header, followed by the extended CDB. Of a
// CDB shorter than its operation code requires only the name is returned. The device type decides between
// tape and disk commands with the same code; unknown is taken as disk.
CommandInfo parse_cdb(std::span<const std::byte> cdb, DeviceType = DeviceType::unknown);

// What the operation code alone determines; of a code with service actions the general name.
CommandInfo parse_opcode(std::uint8_t opcode);

// Length of a CDB by its operation code; 0 if the code does not determine it (vendor groups).
std::size_t cdb_length(std::span<const std::byte> cdb);

} // namespace iscsiscope
