// SPDX-License-Identifier: GPL-2.0-or-later
// KnownAcks: which of a receiver's ACKs the data's sender can have known, at any tap. An ACK goes through:
//
//   passed the tap ──one tap-side round trip tap → sender → tap later──▶ reached the sender ──▶ known at its
//   last segment
//     [number() + 1, …)                                          number()                 number_at_send()
//
// A segment that echoes the timestamp of an older ACK shows that its sender had not yet learnt of the later
// ones (known_by). Numbers are those of AckedLog; here only its
// news count.
#pragma once

#include "analyzer/base/compact_optional.h"
#include "analyzer/tcp/stream/connection.h"
#include "analyzer/tcp/track/acked_log.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

// The reaction time of a host, including the coarseness of its timers.
inline constexpr Duration host_reaction = std::chrono::microseconds{200};

class KnownAcks {
public:
    // The log must outlive the object.
    explicit KnownAcks(const AckedLog &log) : log_(log) {}

    bool empty() const { return log_.empty(); }
    const AckSeen *at(std::uint64_t number) const { return log_.at(number); } // null: not held, or number 0
    // The next one behind that number; null: none.
    const AckSeen *after(std::uint64_t number) const { return log_.at(next(number)); }
    // The last one that passed, known or not. A default one if there is none.
    const AckSeen &latest() const { return or_nothing(log_.empty() ? 0 : log_.latest_news()); }
    // The last one that can have reached the sender. A default one if there is none.
    const AckSeen &known() const { return or_nothing(known_); }
    std::uint64_t number() const { return known_; }
    // The last one that the sender certainly knew at its last segment.
    std::uint64_t number_at_send() const { return known_at_send_; }

    // The sender's segment passes: updates the least time from an ACK to its effect, if the segment echoes a
    // stamp that only the latest ACK carries.
    void note_release(const Segment &);
    // Returns the least tap-side round trip tap → sender → tap, from an ACK to its effect; 0 if below the
    // reaction time of a host. minimum: that of the RttTrack. Data → ACK pairs alone give too much: a sender
    // reacts sooner to an ACK than it answers data.
    Duration to_sender(std::optional<Duration> minimum) const;

    // Returns the next ACK that has reached the sender by `now`, which is known from then on; null: none.
    // loop: to_sender().
    const AckSeen *learn_next(Time now, Duration tap_rtt);
    // After learn_next(): if none was known before, those that have passed are.
    void skip_unknown();

    // Returns the number of the last ACK that the sender of this segment certainly knew, by its echo or by
    // time.
    std::uint64_t known_by(const Segment &, Duration tap_rtt) const;
    // The segment has passed: its sender knew known_by(); what lies below is needed no more.
    void sent(const Segment &s, Duration tap_rtt) { known_at_send_ = known_by(s, tap_rtt); }

private:
    const AckSeen &or_nothing(std::uint64_t number) const {
        const AckSeen *a = log_.at(number);
        return a != nullptr ? *a : AckedLog::nothing;
    }
    std::uint64_t next(std::uint64_t number) const;     // of the next news behind it; 0: none
    std::uint64_t previous(std::uint64_t number) const; // of the news before it; 0: none is held

    const AckedLog &log_;
    std::uint64_t known_ = 0, known_at_send_ = 0;
    CompactOptional<Duration> min_release_; // least time from an ACK to a segment that echoes its timestamp
};

} // namespace iscsiscope
