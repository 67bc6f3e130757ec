// SPDX-License-Identifier: GPL-2.0-or-later
// RAID0 over modelled disks, with a buffer cache of stripe units in front (experiments.md, section 5:
// the iPosRAID target). An access is split at stripe units; it is done when its slowest disk is.
#pragma once

#include "sample-captures/testbed/target/service/modelled_disk.h"
#include "sample-captures/testbed/target/service/unit_cache.h"

#include <deque>
#include <vector>

namespace iscsiscope::testbed {

struct Raid0Shape {
    DiskShape disk; // each one's; size is of the whole array and is divided by the number of disks
    std::uint32_t disks = 4;
    std::uint64_t stripe_unit = 32 * 1024; // bytes
    std::uint64_t cache = 0;               // bytes; 0: none
    std::uint64_t cache_bytes_per_second = 1'000'000'000;
    bool write_back = false; // a write is done when the cache has it; else when the disks have it
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
    // The disks' own work for these bytes.
    Moment on_disks(const Access &, Moment now);
    Moment in_cache(std::uint64_t bytes, Moment now) const;
    Moment room_for(std::uint64_t bytes, Moment now);

    Raid0Shape shape_;
    std::vector<ModelledDisk> disks_;
    UnitCache held_;
    std::deque<Pending> dirty_; // written back, oldest first
    std::uint64_t dirty_bytes_ = 0;
};

} // namespace iscsiscope::testbed
