// SPDX-License-Identifier: GPL-2.0-or-later
// Segments of one sender that continue each other and say the same: most of a bulk transfer. Of such a
// segment nothing is news but its bytes and its time, so that every room may leave out what it would only
// find again.
#pragma once

#include "analyzer/capture/segment.h"

#include <cstdint>

namespace iscsiscope {

// Of one end of a connection.
class SegmentRun {
public:
    // True if it continues the bytes of the segment told before, no earlier, and says the same:
    // acknowledgment, window and stamps; neither carries anything rarer.
    bool continues(const Segment &s) const {
        return plain_ && s.sequence == next_ && s.acknowledgment == acknowledgment_ && s.time >= time_ &&
               s.window == window_ && s.options.timestamp_value == stamp_ &&
               s.options.timestamp_echo == echo_ && s.options.has_timestamps == stamped_ && is_plain(s);
    }
    // Told of every segment of this end, mirror duplicates not.
    void note(const Segment &s) {
        plain_ = is_plain(s);
        if (!plain_)
            return;
        acknowledgment_ = s.acknowledgment;
        window_ = s.window;
        stamped_ = s.options.has_timestamps;
        stamp_ = s.options.timestamp_value;
        echo_ = s.options.timestamp_echo;
        advance(s);
    }
    // Of one that continues.
    void advance(const Segment &s) {
        next_ = s.sequence + s.payload_length;
        time_ = s.time;
    }

private:
    static bool is_plain(const Segment &s) {
        constexpr std::uint8_t congestion_experienced = 3; // RFC 3168 section 5
        return s.payload_length > 1 && (s.flags & ~(tcp_psh | tcp_urg)) == tcp_ack &&
               s.options.sack_count == 0 && s.ip_ecn != congestion_experienced;
    }

    Time time_{};
    std::uint32_t next_ = 0, acknowledgment_ = 0, stamp_ = 0, echo_ = 0;
    std::uint16_t window_ = 0;
    bool plain_ = false, stamped_ = false;
};

} // namespace iscsiscope
