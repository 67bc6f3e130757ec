// SPDX-License-Identifier: GPL-2.0-or-later
// A disk with one arm: positioning + rotational wait + transfer, one access at a time in order. An
// access that starts where the one before it ended needs neither positioning nor rotation.
#pragma once

#include "sample-captures/testbed/target/service/service_model.h"

#include <random>

namespace iscsiscope::testbed {

struct DiskShape {
    std::uint64_t size = 0; // bytes, for the distance of a seek
    Nanoseconds seek_shortest = std::chrono::microseconds(800);
    Nanoseconds seek_longest = std::chrono::milliseconds(16); // across the whole disk
    Nanoseconds mean_rotation = std::chrono::microseconds(4300);
    std::uint64_t bytes_per_second = 100'000'000;
};

// The mean rotational wait of the two speeds the scenarios use (5400 rpm 5.6 ms, 7200 rpm 4.3 ms), of
// any other half a turn.
Nanoseconds mean_rotational_wait(std::uint32_t rpm);

class ModelledDisk final : public ServiceModel {
public:
    ModelledDisk(const DiskShape &shape, std::uint64_t seed) : shape_(shape), random_(seed) {}
    Moment finish(const Access &, Moment now) override;

    Moment free_at() const { return free_at_; }

private:
    Nanoseconds positioning(std::uint64_t offset) const;

    DiskShape shape_;
    std::mt19937_64 random_;
    Moment free_at_{};
    std::uint64_t head_ = 0; // behind the last byte accessed
};

} // namespace iscsiscope::testbed
