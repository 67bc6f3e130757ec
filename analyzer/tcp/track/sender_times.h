// SPDX-License-Identifier: GPL-2.0-or-later
// SenderTimes: the times that lie between the tap and one sender: how long an ACK needs to it and its effect
// back, how much later than usual that is at present, the whole round trip, and for how long the sender has
// been silent. In: the tap-side round trips of both ends and the sender's track, which must include each
// segment before they are asked for.
#pragma once

#include "analyzer/tcp/round_trips/end_tap_rtt.h"
#include "analyzer/tcp/track/sender_track.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace iscsiscope {

// The shortest retransmission timer in use, less the coarseness of clocks (Linux: 200 ms, others more;
// RFC 6298: one second).
inline constexpr Duration min_timeout = std::chrono::milliseconds{190};

class SenderTimes {
public:
    // Both references must outlive the object.
    SenderTimes(Side sender, const EndTapRtts &tap_rtts, const SenderTrack &track)
        : sender_(sender), tap_rtts_(tap_rtts), track_(track) {}

    Side sender() const { return sender_; }
    Side receiver() const { return other(sender_); }

    // The least tap-side round trip tap → sender → tap, from an ACK to its effect (KnownAcks::to_sender).
    Duration to_sender(const Connection &c) const {
        return track_.known().to_sender(c.end(sender_).rtt.minimum);
    }
    // By how much the recent one exceeds it, due to queues.
    Duration lateness(Duration to_sender) const {
        return std::max(Duration{}, tap_rtts_[index(sender_)].usual() - to_sender);
    }
    // Of the whole path, smoothed; 0: unknown.
    Duration round_trip() const { return tap_rtts_[0].smooth() + tap_rtts_[1].smooth(); }
    // Since the sender's last segment, or the last ACK that reached it. Zero if neither has passed: no
    // silence is known then.
    Duration silence_before(const Connection &c, Time now) const {
        std::optional<Time> last = track_.sent_log().last();
        if (const AckSeen *k = track_.known().at(track_.known().number()))
            last = std::max(last, std::optional(k->time + to_sender(c))); // an empty optional is the least
        return last ? std::max(Duration{}, now - *last) : Duration{};
    }
    const EndTapRtt &to_end(Side end) const { return tap_rtts_[index(end)]; }

private:
    const Side sender_;
    const EndTapRtts &tap_rtts_;
    const SenderTrack &track_;
};

} // namespace iscsiscope
