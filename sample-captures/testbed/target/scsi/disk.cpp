// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/scsi/disk.h"

#include <algorithm>
#include <utility>

namespace iscsiscope::testbed {

Disk::Disk(std::unique_ptr<Store> store, std::uint32_t block_size, bool read_only, bool initially_mapped,
           DiskIdentity identity)
    : store_(std::move(store)), block_size_(block_size), blocks_(store_->size() / block_size),
      read_only_(read_only), map_(blocks_, initially_mapped), identity_(std::move(identity)) {}

void Disk::nexus_lost(NexusId nexus) {
    nexuses_.erase(nexus);
    if (reservation_ == nexus)
        reservation_.reset();
}

void Disk::reset(std::span<const NexusId> nexuses) {
    reservation_.reset();
    started_ = true;
    mode_ = ModeSettings{};
    for (const NexusId nexus : nexuses)
        add_unit_attention(nexus, sense::reset_occurred);
}

void Disk::add_unit_attention(NexusId nexus, const Sense &what) {
    std::vector<Sense> &pending = nexuses_[nexus];
    const bool known = std::any_of(pending.begin(), pending.end(),
                                   [&](const Sense &s) { return s.asc == what.asc && s.ascq == what.ascq; });
    if (!known)
        pending.push_back(what);
}

void Disk::add_unit_attention_to_others(NexusId except, const Sense &what) {
    for (const auto &[nexus, pending] : nexuses_)
        if (nexus != except)
            add_unit_attention(nexus, what);
}

} // namespace iscsiscope::testbed
