// SPDX-License-Identifier: GPL-2.0-or-later
// IpIdRun: finds packets that were lost before the tap by the IP identifications of one sender, if these
// increase by one per packet. Linux numbers the packets of a socket in this way; other systems send zeros, or
// count for the whole host, which looks the same while the other connections are quiet (found_shared).
#pragma once

#include "analyzer/capture/segment.h"

#include <cstdint>

namespace iscsiscope {

class IpIdRun {
public:
    // Returns the number of packets missing directly before this one; 0 before 8 numbers in sequence.
    std::uint16_t left_out(const Segment &s) {
        if (!s.has_ip_id || shared_)
            return 0;
        const auto step = static_cast<std::uint16_t>(s.ip_id - last_);
        const bool counted = run_ >= settled;
        std::uint16_t missing = 0;
        if (any_ && step == 1)
            run_ = counted ? run_ : run_ + 1;
        else if (any_ && counted && step > 1 && step <= most)
            missing = static_cast<std::uint16_t>(step - 1);
        else if (any_ && counted && static_cast<std::uint16_t>(-step) <= most)
            return 0; // reordered
        else
            run_ = 0;
        any_ = true;
        last_ = s.ip_id;
        return missing;
    }

    // Missing numbers were of other connections of the host: from now on none says anything.
    void found_shared() { shared_ = true; }

private:
    static constexpr unsigned settled = 8;
    static constexpr std::uint16_t most = 64;

    std::uint16_t last_ = 0;
    unsigned run_ = 0;
    bool any_ = false;
    bool shared_ = false;
};

} // namespace iscsiscope
