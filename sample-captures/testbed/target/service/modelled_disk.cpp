// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/service/modelled_disk.h"

#include <algorithm>
#include <cmath>

namespace iscsiscope::testbed {

Nanoseconds mean_rotational_wait(std::uint32_t rpm) {
    if (rpm == 5400)
        return std::chrono::microseconds(5600);
    if (rpm == 7200)
        return std::chrono::microseconds(4300);
    return Nanoseconds(rpm == 0 ? 0 : 30'000'000'000 / std::int64_t{rpm});
}

// A seek grows with the square root of its distance: the arm accelerates half the way.
Nanoseconds ModelledDisk::positioning(std::uint64_t offset) const {
    if (shape_.size == 0)
        return shape_.seek_shortest;
    const double distance = std::abs(static_cast<double>(offset) - static_cast<double>(head_));
    const double share = std::sqrt(std::min(1.0, distance / static_cast<double>(shape_.size)));
    const auto range = static_cast<double>((shape_.seek_longest - shape_.seek_shortest).count());
    return shape_.seek_shortest + Nanoseconds(static_cast<std::int64_t>(share * range));
}

Moment ModelledDisk::finish(const Access &access, Moment now) {
    Nanoseconds time{0};
    if (access.offset != head_) {
        std::uniform_int_distribution<std::int64_t> rotation(0, 2 * shape_.mean_rotation.count());
        time = positioning(access.offset) + Nanoseconds(rotation(random_));
    }
    const auto rate = static_cast<double>(std::max<std::uint64_t>(shape_.bytes_per_second, 1));
    time += Nanoseconds(static_cast<std::int64_t>(static_cast<double>(access.length) * 1e9 / rate));
    head_ = access.offset + access.length;
    free_at_ = std::max(free_at_, now) + time;
    return free_at_;
}

} // namespace iscsiscope::testbed
