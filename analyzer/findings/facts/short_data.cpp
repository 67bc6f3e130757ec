// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/facts/short_data.h"

#include "analyzer/base/containers/bounded.h"

#include <algorithm>
#include <bit>

namespace iscsiscope {
namespace {

// Of 6 bytes: READ and WRITE of tapes as well, whose CDB has no LBA and counts bytes or blocks (SSC).
bool of_any_device(std::uint8_t opcode) {
    return opcode == 0x08 || opcode == 0x0a;
}

// Logical blocks of disks and discs: a power of two from 512 bytes on, with protection information or other
// bytes of the device up to an eighth of that (520, 528, 4104, 4160, 4224 …).
bool may_be_block(std::uint64_t length) {
    return length >= 512 && length <= 65536 && length % 8 == 0 &&
           length - std::bit_floor(length) <= std::bit_floor(length) / 8;
}

// The data that were moved may be all that the CDB asks for, of shorter blocks.
bool may_be_whole(std::uint64_t moved, std::uint64_t blocks) {
    return moved % blocks == 0 && may_be_block(moved / blocks);
}

} // namespace

void ShortData::on_lun(const LunRecord &r) {
    if (Unit *u = find_or_add(units_, {r.session, r.lun}, max_units)) {
        u->block = r.block_length ? *r.block_length : u->block;
        // Peripheral device types of SPC: 1 is a tape, 3 a processor, 8 a changer.
        u->no_disk = r.device_type && (*r.device_type == 1 || *r.device_type == 3 || *r.device_type == 8);
    }
}

void ShortData::on_cycle(const CycleRecord &r) {
    if (r.type == TaskType::control || r.outcome != TaskOutcome::good || !r.complete || r.inferred ||
        !r.residual_known || r.residual < 0 || !r.bytes_expected || !r.blocks || *r.blocks == 0 ||
        !r.opcode || of_any_device(*r.opcode) || *r.bytes_expected % *r.blocks != 0)
        return;
    const std::uint64_t expected = *r.bytes_expected, block = expected / *r.blocks;
    if (!may_be_block(block))
        return;
    const auto residual = static_cast<std::uint64_t>(r.residual);
    const SessionLun at{r.session, r.lun};
    if (r.bytes_moved >= expected) {
        // A whole transfer shows the length of the blocks.
        if (Unit *u =
                r.bytes_moved == expected && residual == 0 ? find_or_add(units_, at, max_units) : nullptr;
            u != nullptr && u->block == 0)
            u->block = block;
        return;
    }
    const bool stated = r.bytes_moved + residual >= expected;
    const bool sure = !stated && !may_be_whole(r.bytes_moved, *r.blocks);
    auto row = std::ranges::find_if(rows_, [&](const ShortTasks &s) {
        return s.session == r.session && s.lun == r.lun && s.type == r.type && s.stated == stated &&
               s.sure == sure && s.block == block;
    });
    if (row == rows_.end()) {
        if (rows_.size() == max_rows)
            return;
        row = rows_.insert(rows_.end(), ShortTasks{r.session, r.lun, r.stream, r.type, stated, sure, block, 0,
                                                   0, 0, r.command_frame, r.status_frame});
    }
    const std::uint64_t lacking = expected - r.bytes_moved;
    ++row->count;
    row->bytes += lacking;
    row->longest = std::max(row->longest, lacking);
}

std::vector<ShortTasks> ShortData::missing() const {
    std::vector<ShortTasks> rows;
    for (const ShortTasks &s : rows_) {
        const auto at = units_.find({s.session, s.lun});
        const Unit unit = at != units_.end() ? at->second : Unit{};
        const bool whole_cdb = unit.block == s.block || (unit.block == 0 && s.sure);
        if (whole_cdb && !unit.no_disk)
            rows.push_back(s);
    }
    return rows;
}

} // namespace iscsiscope
