// SPDX-License-Identifier: GPL-2.0-or-later
// Commands of one logical unit and type (LunType), and sums of a connection by them, at most 32.
#pragma once

#include "analyzer/base/time.h"
#include "analyzer/cycles/records/records.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace iscsiscope {

struct LunType {
    std::uint64_t lun = 0;
    TaskType type{};
    friend auto operator<=>(const LunType &, const LunType &) = default;
};

struct LunTypeSum {
    LunType key;
    std::uint64_t count = 0; // tasks, or waits
    Duration time{};         // busy time, or lost time
};

class LunTypeSums {
public:
    static constexpr std::size_t max_sums = 32;

    // What exceeds so many keys is left out.
    void add(LunType key, std::uint64_t count, Duration time) {
        if (LunTypeSum *sum = find(key)) {
            sum->count += count;
            sum->time += time;
        }
    }
    const std::vector<LunTypeSum> &sums() const { return sums_; } // in no order

private:
    LunTypeSum *find(LunType key) {
        if (last_ < sums_.size() && sums_[last_].key == key)
            return &sums_[last_];
        for (last_ = 0; last_ < sums_.size(); ++last_)
            if (sums_[last_].key == key)
                return &sums_[last_];
        if (sums_.size() == max_sums)
            return nullptr;
        sums_.reserve(sums_.size() + 1); // exactly: there are many short lists
        return &sums_.emplace_back(LunTypeSum{key, 0, {}});
    }

    std::vector<LunTypeSum> sums_;
    std::size_t last_ = 0;
};

} // namespace iscsiscope
