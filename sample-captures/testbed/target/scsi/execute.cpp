// SPDX-License-Identifier: GPL-2.0-or-later
// What every command of a disk passes through before its own function runs.
#include "analyzer/iscsi/codec/wire.h"
#include "sample-captures/testbed/target/scsi/commands.h"

namespace iscsiscope::testbed {
namespace {

// The reserved bits of commands that move blocks must be zero (SPC-4 section 4.2.1: a target may check
// them; protection bits must be refused, as this disk has none). The control byte is not looked at.
bool reserved_bits_set(const CommandEntry &entry, std::span<const std::byte> cdb) {
    for (std::size_t i = 1; i + 1 < entry.length; ++i)
        if ((wire::load8(&cdb[i]) & ~entry.usage[i] & 0xff) != 0)
            return true;
    return false;
}

} // namespace

std::uint64_t data_out_length(const Disk &disk, std::span<const std::byte> cdb) {
    const CommandEntry *entry = find_command(cdb);
    if (entry == nullptr || entry->data_out == nullptr)
        return 0;
    const CommandInfo info = parse_cdb(cdb, DeviceType::disk);
    if (entry->traits.reaches_medium &&
        (reserved_bits_set(*entry, cdb) ||
         (info.lba && out_of_range(disk, *info.lba, info.blocks.value_or(0)))))
        return 0; // refused without waiting for its data
    const std::uint64_t length = entry->data_out(disk, cdb, info);
    return length <= maximum_transfer_bytes ? length : 0; // more is refused too
}

ScsiResult execute(Disk &disk, const ScsiRequest &request) {
    std::vector<Sense> &attentions = disk.unit_attentions(request.nexus);
    const CommandEntry *entry = find_command(request.cdb);
    const CommandTraits traits = entry != nullptr ? entry->traits : CommandTraits{};
    if (!traits.despite_unit_attention && !attentions.empty()) {
        const Sense first = attentions.front();
        attentions.erase(attentions.begin());
        return ScsiResult::check(first);
    }
    if (entry == nullptr)
        return ScsiResult::check(sense::invalid_opcode);
    if (disk.reservation() && disk.reservation() != request.nexus && !traits.despite_reservation)
        return ScsiResult::of(ScsiStatus::reservation_conflict);
    if (traits.reaches_medium && !disk.started())
        return ScsiResult::check(sense::not_ready_stopped);
    if (traits.reaches_medium && reserved_bits_set(*entry, request.cdb))
        return ScsiResult::check(sense::invalid_field_in_cdb);
    if (traits.writes && disk.read_only())
        return ScsiResult::check(sense::medium_write_protected);
    if (traits.writes && disk.mode().software_write_protect)
        return ScsiResult::check(sense::write_protected);
    return entry->run(disk, request);
}

} // namespace iscsiscope::testbed
