// SPDX-License-Identifier: GPL-2.0-or-later
// Half loops from timestamp echoes: a stamp that passes the tap for the first time comes back in what its
// reader sends next (RFC 7323 section 4). That shows the loop also where an end never answers data at once.
#pragma once

#include "analyzer/tcp/stream/connection.h"

#include <cstdint>

namespace iscsiscope {

// Of one end, which echoes. One stamp is followed at a time.
class EchoSampler {
public:
    // The other end sent this stamp. Only a stamp that follows another one is known to pass for the first
    // time.
    void asked(std::uint32_t stamp, Time now) {
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

    // Whether echoed() has anything to look for.
    bool waiting() const { return waiting_; }
    // This end echoed a stamp. It may have rested before it sent, so that only the least loop can be
    // learnt from it; the samples of the track stay those of data → ACK.
    void echoed(std::uint32_t stamp, Time now, RttTrack &track) {
        if (!waiting_ || static_cast<std::int32_t>(stamp - stamp_) < 0)
            return;
        waiting_ = false;
        if (stamp != stamp_ || now < when_)
            return; // the one that was followed never came back: lost, or overtaken
        if (!track.minimum || now - when_ < *track.minimum)
            track.minimum = now - when_;
    }

private:
    bool any_ = false, waiting_ = false;
    std::uint32_t last_ = 0, stamp_ = 0;
    Time when_{};
};

} // namespace iscsiscope
