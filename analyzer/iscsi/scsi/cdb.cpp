// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/scsi/cdb.h"

#include "analyzer/iscsi/codec/wire.h"
#include "analyzer/iscsi/scsi/command_table.h"
#include "analyzer/iscsi/scsi/other_commands.h"

#include <algorithm>
#include <array>

namespace iscsiscope {
namespace {

using scsi_detail::Layout;
using scsi_detail::Row;

// The service action of commands that have one (SPC-4 section 4.2.5).
std::optional<std::uint16_t> service_action_of(std::span<const std::byte> cdb) {
    switch (wire::load8(cdb.data())) {
    case 0x7f:
        if (cdb.size() >= 10)
            return wire::load16(&cdb[8]);
        break;
    case 0x48:
    case 0x5e:
    case 0x5f:
    case 0x83:
    case 0x84:
    case 0x94:
    case 0x95:
    case 0x9b:
    case 0x9d:
    case 0x9e:
    case 0x9f:
    case 0xa3:
    case 0xa4:
    case 0xa9:
    case 0xab:
        if (cdb.size() >= 2)
            return static_cast<std::uint16_t>(wire::load8(&cdb[1]) & 0x1f);
        break;
    default:
        break;
    }
    return std::nullopt;
}

const Row *find_row(std::span<const Row> rows, std::uint8_t opcode, std::optional<std::uint16_t> action) {
    // Not ranges::equal_range: Clang 14 cannot compile libstdc++'s subrange.
    auto it = std::ranges::lower_bound(rows, opcode, {}, &Row::opcode);
    for (; it != rows.end() && it->opcode == opcode; ++it)
        if (it->action == scsi_detail::any_action || (action && it->action == *action))
            return &*it;
    return nullptr;
}

// True if this command has the code at such a device, whatever disks use it for.
bool of_device(const scsi_detail::OtherCommand &c, DeviceType type) {
    return type != DeviceType::disk && type != DeviceType::unknown && c.device == type;
}

// Reads LBA and length. The CDB is at least as long as its operation code requires.
void read_layout(CommandInfo &c, std::span<const std::byte> cdb, Layout layout) {
    const std::byte *p = cdb.data();
    switch (layout) {
    case Layout::none:
        break;
    case Layout::rw6: {
        c.lba = wire::load24(p + 1) & 0x1fffff;
        const std::uint8_t length = wire::load8(p + 4);
        c.blocks = length == 0 ? 256 : length; // SBC-3 section 5.7
        break;
    }
    case Layout::rw10:
        c.lba = wire::load32(p + 2);
        c.blocks = wire::load16(p + 7);
        break;
    case Layout::rw12:
        c.lba = wire::load32(p + 2);
        c.blocks = wire::load32(p + 6);
        break;
    case Layout::rw16:
        c.lba = wire::load64(p + 2);
        c.blocks = wire::load32(p + 10);
        break;
    case Layout::rw32:
        c.lba = wire::load64(p + 12);
        c.blocks = wire::load32(p + 28);
        break;
    case Layout::compare_write16:
        c.lba = wire::load64(p + 2);
        c.blocks = wire::load8(p + 13);
        break;
    case Layout::atomic16:
        c.lba = wire::load64(p + 2);
        c.blocks = wire::load16(p + 12);
        break;
    case Layout::start16:
        c.lba = wire::load64(p + 2);
        c.allocation_length = wire::load32(p + 10);
        break;
    case Layout::tape6:
        if ((wire::load8(p + 1) & 0x01) != 0) // FIXED: blocks; else the length is in bytes
            c.blocks = wire::load24(p + 2);
        break;
    case Layout::alloc6:
        c.allocation_length = wire::load8(p + 4);
        break;
    case Layout::inquiry:
        c.allocation_length = wire::load16(p + 3);
        break;
    case Layout::alloc7:
        c.allocation_length = wire::load16(p + 7);
        break;
    case Layout::alloc6_4:
        c.allocation_length = wire::load32(p + 6);
        break;
    case Layout::alloc10_4:
        c.allocation_length = wire::load32(p + 10);
        break;
    }
}

// Reads the bits beside LBA and length that change the data of the command.
void read_flags(CommandInfo &c, std::span<const std::byte> cdb, DeviceType type) {
    const bool long_form = c.opcode == 0x7f; // its byte 10 corresponds to byte 1 of other CDBs
    const std::uint8_t flags = wire::load8(&cdb[long_form ? 10 : 1]);
    switch (c.group) {
    case CommandGroup::read:
    case CommandGroup::write: {
        // The six-byte forms have no FUA, nor has WRITE AND VERIFY, which always writes through.
        const bool has_fua = cdb_length(cdb) > 6 && c.name.find("VERIFY") == std::string_view::npos;
        c.fua = has_fua && (flags & 0x08) != 0;
        break;
    }
    case CommandGroup::compare_and_write:
        c.fua = (flags & 0x08) != 0;
        break;
    case CommandGroup::verify:
        if (c.name.starts_with("VERIFY")) {
            // BYTCHK: two bits on disks (SBC-3 section 5.31), bit 1 on tapes (BYTCMP).
            c.byte_check = (flags & (type == DeviceType::tape ? 0x02 : 0x06)) != 0;
            c.direction = c.byte_check ? DataDirection::to_target : DataDirection::none;
        }
        break;
    case CommandGroup::zero:
        if (c.name.starts_with("WRITE SAME")) {
            c.unmap = (flags & 0x08) != 0;
            c.no_data_out = c.opcode != 0x41 && (flags & 0x01) != 0; // NDOB: not in WRITE SAME(10)
            if (c.no_data_out)
                c.direction = DataDirection::none;
        }
        break;
    default:
        if (c.opcode == 0x12) {
            c.vital_product_data = (flags & 0x01) != 0;
            c.page_code = wire::load8(&cdb[2]);
        }
        break;
    }
}

} // namespace

std::string_view name(CommandGroup g) {
    switch (g) {
    case CommandGroup::read:
        return "read";
    case CommandGroup::write:
        return "write";
    case CommandGroup::compare_and_write:
        return "compare and write";
    case CommandGroup::verify:
        return "verify";
    case CommandGroup::zero:
        return "zero";
    case CommandGroup::copy:
        return "copy";
    case CommandGroup::flush:
        return "flush";
    case CommandGroup::inventory:
        return "inventory";
    case CommandGroup::paths_and_locks:
        return "paths and locks";
    case CommandGroup::other:
        return "other";
    }
    return "unknown";
}

std::size_t cdb_length(std::span<const std::byte> cdb) {
    if (cdb.empty())
        return 0;
    const std::uint8_t opcode = wire::load8(cdb.data());
    if (opcode == 0x7f) // variable: the additional length follows the first eight bytes
        return cdb.size() < 8 ? 0 : std::size_t{8} + wire::load8(&cdb[7]);
    switch (opcode >> 5) {
    case 0:
        return 6;
    case 1:
    case 2:
        return 10;
    case 4:
        return 16;
    case 5:
        return 12;
    default:
        return 0;
    }
}

CommandInfo parse_cdb(std::span<const std::byte> cdb, DeviceType type) {
    CommandInfo c;
    if (cdb.empty())
        return c;
    c.opcode = wire::load8(cdb.data());
    c.service_action = service_action_of(cdb);
    const Row *row = nullptr;
    if (type == DeviceType::tape)
        row = find_row(scsi_detail::tape_commands(), c.opcode, c.service_action);
    const bool of_tape = row != nullptr;
    if (row == nullptr)
        row = find_row(scsi_detail::block_commands(), c.opcode, c.service_action);
    // A code that only tapes use shows that the device is a tape.
    if (row == nullptr && type == DeviceType::unknown)
        row = find_row(scsi_detail::tape_commands(), c.opcode, c.service_action);
    const auto *other = of_tape ? nullptr : scsi_detail::find_other(c.opcode, c.service_action, type);
    if (row == nullptr && other == nullptr)
        return c;
    c.known = true;
    if (other != nullptr && (row == nullptr || of_device(*other, type))) {
        c.name = other->name;
        return c;
    }
    // A service action that the table does not treat has the form of its operation code.
    const bool of_action = other != nullptr && row->action == scsi_detail::any_action &&
                           other->action != scsi_detail::any_action;
    c.name = of_action ? other->name : row->name;
    c.group = row->group;
    c.direction = row->direction;
    // A variable-length CDB of one of the known commands has 32 bytes.
    const std::size_t needed =
        c.opcode == 0x7f ? std::max<std::size_t>(cdb_length(cdb), 32) : cdb_length(cdb);
    if (needed == 0 || cdb.size() < needed)
        return c;
    read_layout(c, cdb, row->layout);
    read_flags(c, cdb, type);
    return c;
}

CommandInfo parse_opcode(std::uint8_t opcode) {
    std::array<std::byte, 16> cdb{};
    cdb[0] = std::byte{opcode};
    CommandInfo c = parse_cdb(cdb);
    c.lba = c.blocks = std::nullopt;
    c.allocation_length = std::nullopt;
    return c;
}

} // namespace iscsiscope
