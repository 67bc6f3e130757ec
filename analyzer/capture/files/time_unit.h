// SPDX-License-Identifier: GPL-2.0-or-later
// pcapng time stamps → nanoseconds (if_tsresol and if_tsoffset, draft-ietf-opsawg-pcapng section 4.2).
#pragma once

#include "analyzer/base/time.h"

#include <cstdint>

namespace iscsiscope {

class TimeUnit {
public:
    // if_tsresol: units are 10^-n s, or with the top bit 2^-(n without it) s. Default: microseconds.
    explicit TimeUnit(std::uint8_t resolution = 6, std::int64_t offset_seconds = 0);

    // Rounds down to nanoseconds; kept within ±max_time_ns.
    Time time(std::uint64_t units) const {
        if (units <= largest_direct_) [[likely]] {
            return time_from_ns(static_cast<std::int64_t>(units * multiplier_) + offset_ns_);
        }
        return converted(units);
    }
    // Decimal digits behind the second that a time stamp can differ in, at most 9.
    int digits() const;

private:
    Time converted(std::uint64_t units) const;

    std::uint64_t multiplier_ = 0;     // ns a unit, where that is a whole number
    std::uint64_t largest_direct_ = 0; // units that one multiplication converts (0 s is 0 in any unit)
    std::int64_t offset_ns_ = 0;
    std::uint8_t resolution_;
};

} // namespace iscsiscope
