// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/scsi/disk.h"

#include "analyzer/iscsi/codec/wire.h"
#include "sample-captures/testbed/target/scsi/commands.h"

#include <algorithm>
#include <utility>

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

Disk::Disk(std::unique_ptr<Store> store, std::uint32_t block_size, bool read_only, bool initially_mapped,
           DiskIdentity identity)
    : store_(std::move(store)), block_size_(block_size), blocks_(store_->size() / block_size),
      read_only_(read_only), map_(blocks_, initially_mapped), identity_(std::move(identity)) {}

std::uint64_t Disk::data_out_length(std::span<const std::byte> cdb) const {
    const CommandEntry *entry = find_command(cdb);
    if (entry == nullptr || entry->data_out == nullptr)
        return 0;
    const CommandInfo info = parse_cdb(cdb, DeviceType::disk);
    if (entry->traits.reaches_medium &&
        (reserved_bits_set(*entry, cdb) ||
         (info.lba && out_of_range(*this, *info.lba, info.blocks.value_or(0)))))
        return 0; // refused without waiting for its data
    const std::uint64_t length = entry->data_out(*this, cdb, info);
    return length <= maximum_transfer_bytes ? length : 0; // more is refused too
}

ScsiResult Disk::execute(const ScsiRequest &request) {
    std::vector<Sense> &attentions = nexuses_[request.nexus];
    const CommandEntry *entry = find_command(request.cdb);
    const CommandTraits traits = entry != nullptr ? entry->traits : CommandTraits{};
    if (!traits.despite_unit_attention && !attentions.empty()) {
        const Sense first = attentions.front();
        attentions.erase(attentions.begin());
        return ScsiResult::check(first);
    }
    if (entry == nullptr)
        return ScsiResult::check(sense::invalid_opcode);
    if (reservation_ && *reservation_ != request.nexus && !traits.despite_reservation)
        return ScsiResult::of(ScsiStatus::reservation_conflict);
    if (traits.reaches_medium && !started_)
        return ScsiResult::check(sense::not_ready_stopped);
    if (traits.reaches_medium && reserved_bits_set(*entry, request.cdb))
        return ScsiResult::check(sense::invalid_field_in_cdb);
    if (traits.writes && read_only_)
        return ScsiResult::check(sense::medium_write_protected);
    if (traits.writes && mode_.software_write_protect)
        return ScsiResult::check(sense::write_protected);
    return entry->run(*this, request);
}

void Disk::nexus_lost(NexusId nexus) {
    nexuses_.erase(nexus);
    if (reservation_ == nexus)
        reservation_.reset();
}

void Disk::reset(std::span<const NexusId> to_tell) {
    reservation_.reset();
    started_ = true;
    mode_ = ModeSettings{};
    for (const NexusId nexus : to_tell)
        add_unit_attention(nexus, sense::reset_occurred);
}

void Disk::add_unit_attention(NexusId nexus, const Sense &what) {
    std::vector<Sense> &pending = nexuses_[nexus];
    const bool known = std::any_of(pending.begin(), pending.end(),
                                   [&](const Sense &s) { return s.asc == what.asc && s.ascq == what.ascq; });
    if (!known)
        pending.push_back(what);
}

void Disk::tell_others(NexusId but, const Sense &what) {
    for (const auto &[nexus, pending] : nexuses_)
        if (nexus != but)
            add_unit_attention(nexus, what);
}

} // namespace iscsiscope::testbed
