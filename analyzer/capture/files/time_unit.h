// SPDX-License-Identifier: GPL-2.0-or-later
// TimeUnit: converts the time stamps of a pcapng interface into nanoseconds, by its options if_tsresol
// and if_tsoffset (draft-ietf-opsawg-pcapng section 4.2).
#pragma once

#include "analyzer/base/time.h"

#include <cstdint>

namespace iscsiscope {

class TimeUnit {
public:
    // resolution: the if_tsresol byte; with its top bit clear a unit is 10^-n s, with it set 2^-n s, where
    // n is the other seven bits. Default: microseconds.
    explicit TimeUnit(std::uint8_t resolution = 6, std::int64_t offset_seconds = 0);

    // Returns the time rounded down to nanoseconds and limited to ±max_time_ns.
    Time time(std::uint64_t units) const {
        if (units <= largest_direct_) [[likely]]
            return time_from_ns(static_cast<std::int64_t>(units * multiplier_) + offset_ns_);
        return converted(units);
    }
    // Returns the number of decimal places of a second that the unit resolves, at most 9.
    int digits() const;

private:
    Time converted(std::uint64_t units) const;

    std::uint64_t multiplier_ = 0;     // ns per unit, if that is a whole number
    std::uint64_t largest_direct_ = 0; // most units that one multiplication converts without overflow
    std::int64_t offset_ns_ = 0;
    std::uint8_t resolution_;
};

} // namespace iscsiscope
