// SPDX-License-Identifier: GPL-2.0-or-later
// The state of a SCSI block device (SPC-4, SBC-3) over a Store, on which the commands of commands.h work. No
// thread of its own, no clock.
#pragma once

#include "sample-captures/testbed/target/scsi/provisioning_map.h"
#include "sample-captures/testbed/target/scsi/result.h"
#include "sample-captures/testbed/target/storage/store.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace iscsiscope::testbed {

struct DiskIdentity {
    std::string target_name; // for VPD page 83h
    std::uint32_t lun = 0;
    std::string serial; // VPD page 80h
};

// Bits of the mode pages that MODE SELECT may change.
struct ModeSettings {
    bool descriptor_sense = false;       // D_SENSE, control page
    bool software_write_protect = false; // SWP, control page
    bool write_cache = true;             // WCE, caching page
};

class Disk {
public:
    // block_size divides store->size(). read_only: writes are refused, MODE SENSE reports WP.
    Disk(std::unique_ptr<Store> store, std::uint32_t block_size, bool read_only, bool initially_mapped,
         DiskIdentity identity);

    // The session ended: its reservation and unit attentions go with it.
    void nexus_lost(NexusId);
    // LOGICAL UNIT RESET or target reset: the reservation is released, mode settings go back, and
    // every nexus given gets a unit attention.
    void reset(std::span<const NexusId> nexuses);
    void add_unit_attention(NexusId, const Sense &);
    // Those pending, oldest first; from this call on the nexus gets those of the whole disk.
    std::vector<Sense> &unit_attentions(NexusId nexus) { return nexuses_[nexus]; }

    bool descriptor_sense() const { return mode_.descriptor_sense; }

    // For the commands' own files.
    Store &store() { return *store_; }
    ProvisioningMap &map() { return map_; }
    ModeSettings &mode() { return mode_; }
    const DiskIdentity &identity() const { return identity_; }
    std::uint32_t block_size() const { return block_size_; }
    std::uint64_t blocks() const { return blocks_; }
    bool read_only() const { return read_only_; }
    // A unit attention for every nexus that has sent the disk a command, except this one.
    void add_unit_attention_to_others(NexusId except, const Sense &);

    bool started() const { return started_; }
    void set_started(bool started) { started_ = started; }
    std::optional<NexusId> &reservation() { return reservation_; }

private:
    std::unique_ptr<Store> store_;
    std::uint32_t block_size_;
    std::uint64_t blocks_;
    bool read_only_;
    ProvisioningMap map_;
    DiskIdentity identity_;
    ModeSettings mode_;
    bool started_ = true;
    std::optional<NexusId> reservation_; // RESERVE(6), RESERVE(10)
    std::map<NexusId, std::vector<Sense>>
        nexuses_; // those that have sent a command, with their unit attentions
};

// Limits that VPD page B0h reports and the commands keep.
inline constexpr std::uint32_t maximum_transfer_bytes = 32 << 20;
inline constexpr std::uint32_t maximum_write_same_bytes = 32 << 20;
inline constexpr std::uint32_t maximum_compare_and_write_blocks = 255;

} // namespace iscsiscope::testbed
