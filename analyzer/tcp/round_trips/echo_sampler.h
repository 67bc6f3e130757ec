// SPDX-License-Identifier: GPL-2.0-or-later
// EchoSampler: measures the tap-side round trip tap → end → tap by timestamp echoes (RFC 7323 section 4),
// from the first passage of a stamp to the end's first segment that echoes it. This gives a minimum also for
// an end that never answers data at once, and samples for an end that keeps sending.
#pragma once

#include "analyzer/base/containers/bounded_ring.h"
#include "analyzer/tcp/round_trips/rtt_sampler.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

// One object per echoing end. Offsets are of the stream that the other end sends.
class EchoSampler {
public:
    // The other end sent this stamp with the bytes from `offset` to `end` (a pure ACK: end = offset), when
    // this end had ACKed everything below `acked`. The stamp is timed if it is newer than those seen before:
    // only then is this known to be its first passage.
    void stamp_sent(std::uint32_t stamp, std::uint64_t offset, std::uint64_t end, std::uint64_t acked,
                    Time now) {
        if (newest_ && stamp == *newest_ && !timed_.empty() && timed_.back().stamp == stamp)
            timed_.back().last = now;
        const bool fresh = newest_ && is_newer(stamp, *newest_);
        if (!newest_ || fresh)
            newest_ = stamp;
        if (fresh && timed_.size() < max_timed)
            timed_.push_back({stamp, offset == end, offset <= acked ? at_once : end, now, now});
    }

    // This end echoed a stamp. pause: since its segment before, which ACKed everything below `acked`. The
    // echo lowers the minimum, whatever the end waited for. It is a sample if the stamp arrived within a
    // short pause, between the two segments: the one before did not echo it, and could have done so or would
    // have ACKed its bytes. A pure ACK that came after data may have arrived earlier; then a later segment
    // with the same stamp set off the echo.
    void stamp_echoed(std::uint32_t stamp, Time now, Duration pause, std::uint64_t acked, RttTrack &track) {
        std::optional<Timed> found;
        for (; !timed_.empty() && !is_newer(timed_.front().stamp, stamp); timed_.pop_front())
            if (timed_.front().stamp == stamp) // others were lost, overtaken or replaced
                found = timed_.front();
        if (!found)
            return;
        const Duration tap_rtt = now - found->when;
        const Duration spread = found->end > acked ? Duration{} : found->last - found->when;
        const bool between = found->end > acked || (found->end == acked && found->bare);
        if (between && pause <= sample_accuracy(tap_rtt) - spread)
            track.add_sample(tap_rtt, found->when);
        else
            track.lower_minimum(tap_rtt);
    }

    // What the other end sent so far is not timed any more.
    void forget() { timed_.clear(); }

private:
    static constexpr std::uint16_t max_timed = 512;
    // An end takes over the stamp of a segment that begins where it has ACKed everything (RFC 7323
    // section 4.3).
    static constexpr std::uint64_t at_once = ~std::uint64_t{0};

    struct Timed {
        std::uint32_t stamp = 0;
        bool bare = false;     // it came with a pure ACK first
        std::uint64_t end = 0; // of the bytes that it came with; at_once: this end echoes it at once
        Time when{}, last{};   // its first passage, and the latest one
    };

    static bool is_newer(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) > 0; }

    std::optional<std::uint32_t> newest_;
    BoundedRing<Timed, max_timed> timed_;
};

} // namespace iscsiscope
