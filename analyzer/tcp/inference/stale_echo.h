// SPDX-License-Identifier: GPL-2.0-or-later
// StaleEcho: whether the timestamp that one sender's segments echo may be older than the ACKs that it knows.
// RFC 7323 section 4.3: TS.Recent is taken only from segments at or below Last.ACK.sent. When data of the
// other direction arrives, the ACKs behind it do not update TS.Recent until an ACK for that data has been
// sent. Thus the sender of the segments from the first with a new ACK number up to the next change of the
// echo may have known later ACKs than the one echoed.
#pragma once

#include "analyzer/capture/segment.h"

#include <cstdint>

namespace iscsiscope {

class StaleEcho {
public:
    // A segment of the sender passed, any but one that continues a run.
    void sent(const Segment &s) {
        if ((s.flags & tcp_ack) == 0)
            return; // the first SYN
        const bool moved = any_ && static_cast<std::int32_t>(s.acknowledgment - last_ack_) > 0;
        stale_ = moved || (stale_ && s.options.timestamp_echo == last_echo_) || s.options.sack_count > 0;
        if (moved || !any_)
            last_ack_ = s.acknowledgment;
        any_ = true;
        last_echo_ = s.options.timestamp_echo;
    }
    bool stale() const { return stale_; } // of the last segment

private:
    bool any_ = false; // the sender's last ACK and echoed timestamp are known
    bool stale_ = false;
    std::uint32_t last_ack_ = 0, last_echo_ = 0;
};

} // namespace iscsiscope
