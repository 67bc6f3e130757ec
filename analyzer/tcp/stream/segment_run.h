// SPDX-License-Identifier: GPL-2.0-or-later
// SegmentRun: recognises runs of consecutive data segments with otherwise equal headers, which make up most
// of a bulk transfer. Such a segment adds only bytes and a time, so that every room may take a short path.
#pragma once

#include "analyzer/capture/segment.h"

#include <cstdint>

namespace iscsiscope {

// One object per end of a connection.
class SegmentRun {
public:
    // True if the segment continues the bytes of the one before, no earlier, with the same acknowledgment,
    // window and timestamps, and neither has SACK blocks, a CE mark or flags besides ACK, PSH and URG.
    bool continues(const Segment &s) const {
        return plain_ && s.sequence == next_ && s.acknowledgment == acknowledgment_ && s.time >= time_ &&
               s.window == window_ && s.options.timestamp_value == stamp_ &&
               s.options.timestamp_echo == echo_ && s.options.has_timestamps == stamped_ && is_plain(s);
    }
    // Stores a segment. To be called for every segment of this end except mirror duplicates.
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
    // Stores a segment for which continues() is true.
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
