// SPDX-License-Identifier: GPL-2.0-or-later
// IP identifications of one sender: where they count up by one a packet, a number left out is a packet that
// was lost before the tap. (Linux numbers the packets of a socket so; others count for the whole host or
// send zeros, and tell nothing.)
#pragma once

#include "analyzer/capture/segment.h"

#include <cstdint>

namespace iscsiscope {

class IpIdRun {
public:
    // Packets left out just before this one; 0 unless the numbers have been seen to count.
    std::uint16_t left_out(const Segment &s) {
        if (!s.has_ip_id)
            return 0;
        const auto step = static_cast<std::uint16_t>(s.ip_id - last_);
        const bool counted = run_ >= settled;
        std::uint16_t missing = 0;
        if (any_ && step == 1) {
            run_ = counted ? run_ : run_ + 1;
        } else if (any_ && counted && step > 1 && step <= most) {
            missing = static_cast<std::uint16_t>(step - 1);
        } else if (any_ && counted && static_cast<std::uint16_t>(-step) <= most) {
            return 0; // overtaken by others
        } else {
            run_ = 0;
        }
        any_ = true;
        last_ = s.ip_id;
        return missing;
    }

private:
    static constexpr unsigned settled = 16;
    static constexpr std::uint16_t most = 64;

    std::uint16_t last_ = 0;
    unsigned run_ = 0;
    bool any_ = false;
};

} // namespace iscsiscope
