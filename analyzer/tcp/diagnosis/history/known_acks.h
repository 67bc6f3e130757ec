// SPDX-License-Identifier: GPL-2.0-or-later
// KnownAcks: which of a receiver's ACKs the data's sender can have known, at any tap. An ACK goes through:
//
//   passed the tap ──one tap-side round trip tap → sender → tap later──▶ reached the sender ──▶ known at its
//   last segment
//     [number() + 1, …)                                          number()                 number_at_send()
//
// A segment that echoes the timestamp of an older ACK shows that its sender had not yet learnt of the later
// ones (known_by). Numbers are those of AckLog: from 1; 0 means "no ACK".
#pragma once

#include "analyzer/base/compact_optional.h"
#include "analyzer/tcp/diagnosis/history/ack_log.h"
#include "analyzer/tcp/stream/connection.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

// The reaction time of a host, including the coarseness of its timers.
inline constexpr Duration host_reaction = std::chrono::microseconds{200};

class KnownAcks {
public:
    // An ACK that brings news passed the tap.
    void add(const AckSeen &a) { log_.add(a); }

    bool empty() const { return log_.empty(); }
    const AckSeen *at(std::uint64_t number) const { return log_.at(number); } // null: not held, or number 0
    // The last one that passed, known or not. A default one if there is none.
    const AckSeen &latest() const { return log_.empty() ? nothing : log_.latest(); }
    // The last one that can have reached the sender. A default one if there is none.
    const AckSeen &known() const;
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
    // The log has discarded the first entries before any of them was known.
    void skip_discarded();

    // Returns the number of the last ACK that the sender of this segment certainly knew, by its echo or by
    // time.
    std::uint64_t known_by(const Segment &, Duration tap_rtt) const;
    // The segment has passed: its sender knew known_by(); what lies below is needed no more.
    void sent(const Segment &, Duration tap_rtt);

private:
    static constexpr AckSeen nothing{};

    AckLog log_;
    std::uint64_t known_ = 0, known_at_send_ = 0;
    CompactOptional<Duration> min_release_; // least time from an ACK to a segment that echoes its timestamp
};

} // namespace iscsiscope
