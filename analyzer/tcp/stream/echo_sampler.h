// SPDX-License-Identifier: GPL-2.0-or-later
// EchoSampler: measures the half loop tap → end → tap by timestamp echoes (RFC 7323 section 4), from the
// first passage of a stamp to the end's first segment that echoes it. This gives a minimum also for an end
// that never answers data at once.
#pragma once

#include "analyzer/tcp/stream/connection.h"

#include <cstdint>

namespace iscsiscope {

// One object per echoing end. One stamp is timed at a time.
class EchoSampler {
public:
    // The other end sent this stamp. It is timed if it is newer than one seen before: only then is this
    // known to be its first passage.
    void stamp_sent(std::uint32_t stamp, Time now) {
        const bool fresh = any_ && static_cast<std::int32_t>(stamp - last_) > 0;
        if (!any_ || fresh)
            last_ = stamp;
        any_ = true;
        if (fresh && !waiting_) {
            waiting_ = true;
            stamp_ = stamp;
            when_ = now;
        }
    }

    // True while a stamp is being timed.
    bool waiting() const { return waiting_; }
    // This end echoed a stamp. The end may have been idle before it sent, so that only the track's minimum
    // is updated; its samples remain those of data → ACK.
    void stamp_echoed(std::uint32_t stamp, Time now, RttTrack &track) {
        if (!waiting_ || static_cast<std::int32_t>(stamp - stamp_) < 0)
            return;
        waiting_ = false;
        if (stamp != stamp_ || now < when_)
            return; // the timed stamp was not echoed: its segment was lost or overtaken
        if (!track.minimum || now - when_ < *track.minimum)
            track.minimum = now - when_;
    }

private:
    bool any_ = false, waiting_ = false;
    std::uint32_t last_ = 0, stamp_ = 0;
    Time when_{};
};

} // namespace iscsiscope
