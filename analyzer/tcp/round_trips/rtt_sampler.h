// SPDX-License-Identifier: GPL-2.0-or-later
// RttSampler: decides which ACKs of a direction's data are round-trip samples of the tap-side round trip tap
// → receiver → tap.
//
// A timed segment goes through these states:
//   under way  It has passed the tap, and no ACK covers it.
//   answered   The first ACK that covers it has passed. Its time is an answer, an upper bound of the round
//              trip: the receiver may have held the ACK, or a program may have worked on data that carries
//              it.
//   in doubt   The ACK covers this segment and not the next one, which passed shortly after it. The receiver
//              then sent the ACK before the next segment reached it, unless that one was lost.
//   sample     The answer contains no wait beyond its accuracy.
// A repeat discards all segments that are under way or in doubt (Karn's rule).
#pragma once

#include "analyzer/base/containers/bounded_ring.h"
#include "analyzer/tcp/round_trips/rtt_track.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace iscsiscope {

// Time of waiting that may remain in a round-trip sample: a reaction time of a host, or an eighth of a long
// sample.
constexpr Duration sample_accuracy(Duration sample) {
    return std::max<Duration>(std::chrono::microseconds(50), sample / 8);
}

// An ACK that advances, as the sampler needs it.
struct TimedAck {
    std::uint64_t offset = 0;  // it covers the bytes below
    std::uint64_t advance = 0; // bytes that it covers and none before it covered
    Time when{};
    bool pure = false;                // without payload
    bool selective = false;           // with SACK blocks: the receiver misses data
    bool window_kept = false;         // announces no less than the receiver's segment before
    std::optional<std::uint16_t> mss; // the smaller one of both SYNs
};

class RttSampler {
public:
    // A segment of new data in order, up to this offset of the stream, passed.
    void sent(std::uint64_t end, Time when) {
        if (!under_way_.empty()) {
            Timed &before = under_way_.back();
            before.next_end = end;
            before.next_when = when;
            largest_ = std::max(largest_, end - before.end);
        }
        if (under_way_.size() == max_timed)
            under_way_.back() = {end, when}; // keeps the oldest ones, and always the latest
        else
            under_way_.push_back({end, when});
    }

    void retransmitted() {
        under_way_.clear();
        doubtful_ = {};
    }

    // The receiver has ACKed further data.
    void acked(const TimedAck &ack, RttTrack &track) {
        if (doubtful_.settled_at != 0 && doubtful_.settled_at <= ack.offset) {
            track.add_sample(doubtful_.answer, doubtful_.when);
            doubtful_ = {};
        }
        std::optional<Timed> last;
        for (; !under_way_.empty() && under_way_.front().end <= ack.offset; under_way_.pop_front())
            last = under_way_.front();
        if (!last)
            return;
        const Duration answer = ack.when - last->when;
        track.add_answer(answer);
        if (last->end != ack.offset || ack.selective)
            return; // another segment set off this ACK
        if (answer <= sample_accuracy({}) || is_prompt(ack))
            track.add_sample(answer, last->when);
        else if (last->next_end != 0 && last->next_when - last->when <= sample_accuracy(answer))
            doubtful_ = {answer, last->when, last->next_end};
    }

private:
    static constexpr std::uint16_t max_timed = 1024;

    struct Timed {
        std::uint64_t end = 0;
        Time when{};
        std::uint64_t next_end = 0; // of the segment after it; 0: none has passed
        Time next_when{};
    };
    struct Doubtful {
        Duration answer{};
        Time when{}; // of the segment
        // The ACK of this offset shows that the next segment was not lost; 0: none is in doubt.
        std::uint64_t settled_at = 0;
    };

    // A receiver sends an ACK at once for more than one full segment (RFC 5681 section 4.2) unless its
    // program has not read what came before: then the window shrinks, and the ACK waits for the program.
    bool is_prompt(const TimedAck &ack) const {
        const std::uint64_t full = ack.mss ? *ack.mss : std::max(largest_, min_full);
        return ack.pure && ack.window_kept && ack.advance > full;
    }
    static constexpr std::uint64_t min_full = 1460;

    BoundedRing<Timed, max_timed> under_way_;
    Doubtful doubtful_;
    std::uint64_t largest_ = 0; // payload of a segment, as far as they followed one another
};

} // namespace iscsiscope
