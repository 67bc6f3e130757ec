// SPDX-License-Identifier: GPL-2.0-or-later
// A SCSI block device (SPC-4, SBC-3) over a Store. Commands are executed one at a time and at once;
// the time they would take is the service model's matter. No thread of its own, no clock.
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
    // block_size divides store->size(). read_only: writes are refused and WP is told.
    Disk(std::unique_ptr<Store> store, std::uint32_t block_size, bool read_only, bool initially_mapped,
         DiskIdentity identity);

    // Bytes of data-out that this CDB calls for; 0 for a CDB that will be refused.
    std::uint64_t data_out_length(std::span<const std::byte> cdb) const;
    // Executes. Unit attentions, reservations and write protection are looked at first.
    ScsiResult execute(const ScsiRequest &);

    // The session ended: its reservation and unit attentions go with it.
    void nexus_lost(NexusId);
    // LOGICAL UNIT RESET or target reset: the reservation is released, mode settings go back, and
    // every nexus given gets a unit attention.
    void reset(std::span<const NexusId> to_tell);
    void add_unit_attention(NexusId, const Sense &);

    bool descriptor_sense() const { return mode_.descriptor_sense; }

    // For the commands' own files.
    Store &store() { return *store_; }
    ProvisioningMap &map() { return map_; }
    ModeSettings &mode() { return mode_; }
    const DiskIdentity &identity() const { return identity_; }
    std::uint32_t block_size() const { return block_size_; }
    std::uint64_t blocks() const { return blocks_; }
    bool read_only() const { return read_only_; }
    // Told to every nexus that has spoken to the disk, but not to this one.
    void tell_others(NexusId but, const Sense &);

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
    std::optional<NexusId> reservation_;            // RESERVE(6), RESERVE(10)
    std::map<NexusId, std::vector<Sense>> nexuses_; // those that have spoken, with their unit attentions
};

// Limits that VPD page B0h tells and the commands keep.
inline constexpr std::uint32_t maximum_transfer_bytes = 32 << 20;
inline constexpr std::uint32_t maximum_write_same_bytes = 32 << 20;
inline constexpr std::uint32_t maximum_compare_and_write_blocks = 255;

} // namespace iscsiscope::testbed
