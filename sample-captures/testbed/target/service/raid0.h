// SPDX-License-Identifier: GPL-2.0-or-later
// RAID0 over modelled disks, with a buffer cache of stripe units in front (docs/testbed.md, "5. iPosRAID, an
// iSCSI RAID target"). An access is split at stripe units; it is done when its slowest disk is.
#pragma once

#include "sample-captures/testbed/target/service/modelled_disk.h"
#include "sample-captures/testbed/target/service/unit_cache.h"

#include <deque>
#include <unordered_map>
#include <vector>

namespace iscsiscope::testbed {

struct Raid0Shape {
    DiskShape disk; // each one's; size is of the whole array and is divided by the number of disks
    std::uint32_t disks = 4;
    std::uint64_t stripe_unit = 32 * 1024; // bytes
    std::uint64_t cache = 0;               // bytes; 0: none
    std::uint64_t cache_bytes_per_second = 1'000'000'000;
    // A write is done when the cache has it, and replaces what still waits there for its disk; else when the
    // disks have it.
    bool write_back = false;
};

class Raid0 final : public ServiceModel {
public:
    Raid0(const Raid0Shape &, std::uint64_t seed);
    Moment finish(const Access &, Moment now) override;

private:
    struct Pending {
        Moment done;
        std::uint64_t bytes;
    };
    // The part of a stripe unit that its disk is to write, and when the disk comes to it.
    struct Waiting {
        Moment begins;
        std::uint64_t from, until; // within the unit
    };
    // The disks' own work for these bytes.
    Moment on_disks(const Access &, Moment now);
    ModelledDisk &disk_of(std::uint64_t unit) {
        return disks_[static_cast<std::size_t>(unit % shape_.disks)];
    }
    Moment on_disk(bool write, std::uint64_t unit, std::uint64_t within, std::uint64_t length, Moment now);
    // Into the cache at `now`, and to the disks what does not replace data that still wait there for theirs.
    void write_back(const Access &, Moment now);
    Moment in_cache(std::uint64_t bytes, Moment now) const;
    Moment room_for(std::uint64_t bytes, Moment now);

    Raid0Shape shape_;
    std::vector<ModelledDisk> disks_;
    UnitCache held_;
    std::deque<Pending> dirty_; // written back, oldest first
    std::uint64_t dirty_bytes_ = 0;
    std::unordered_map<std::uint64_t, Waiting> waiting_; // by unit; some have begun
};

} // namespace iscsiscope::testbed
