// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/scsi/logical_units.h"

#include "analyzer/iscsi/codec/wire.h"
#include "analyzer/iscsi/scsi/lun.h"
#include "sample-captures/testbed/target/scsi/commands.h"

#include <utility>

namespace iscsiscope::testbed {

bool LogicalUnits::add(std::uint16_t number, LogicalUnit unit) {
    return units_.try_emplace(number, std::move(unit)).second;
}

LogicalUnit *LogicalUnits::find(std::uint32_t number) {
    const auto at = number > 0xffff ? units_.end() : units_.find(static_cast<std::uint16_t>(number));
    return at == units_.end() ? nullptr : &at->second;
}

ScsiResult LogicalUnits::report_luns(const ScsiRequest &r) const {
    const std::uint8_t select = wire::load8(&r.cdb[2]);
    const std::uint32_t allocation = wire::load32(&r.cdb[6]);
    if (select > 2)
        return ScsiResult::check(sense::invalid_field_in_cdb);
    std::vector<std::byte> out(8);
    if (select != 1) // 1: well-known logical units, of which there are none
        for (const auto &[number, unit] : units_) {
            out.resize(out.size() + 8);
            wire::store64(&out[out.size() - 8], static_cast<std::uint64_t>(make_lun(number)));
        }
    wire::store32(&out[0], static_cast<std::uint32_t>(out.size() - 8));
    return reply(out, allocation);
}

std::uint64_t LogicalUnits::data_out_length(std::uint32_t lun, std::span<const std::byte> cdb) {
    const LogicalUnit *unit = find(lun);
    return unit == nullptr ? 0 : testbed::data_out_length(*unit->disk, cdb);
}

ScsiResult LogicalUnits::execute(std::uint32_t lun, const ScsiRequest &r) {
    const std::uint8_t opcode = wire::load8(&r.cdb[0]);
    if (opcode == 0xa0)
        return report_luns(r);
    if (LogicalUnit *unit = find(lun))
        return testbed::execute(*unit->disk, r);
    if (opcode == 0x12) {
        std::vector<std::byte> none(36);
        wire::store8(&none[0], 0x7f); // qualifier 011b: no unit can be here
        wire::store8(&none[2], 0x06);
        wire::store8(&none[3], 0x12);
        wire::store8(&none[4], 31);
        return reply(none, wire::load16(&r.cdb[3]));
    }
    if (opcode == 0x03)
        return reply(encode_sense(sense::no_such_lun, false), wire::load8(&r.cdb[4]));
    return ScsiResult::check(sense::no_such_lun);
}

} // namespace iscsiscope::testbed
