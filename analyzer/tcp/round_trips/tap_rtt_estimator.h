// SPDX-License-Identifier: GPL-2.0-or-later
// TapRttEstimator: estimates the present time of the tap-side round trip tap → sender → tap. The sender of a
// segment that passes the tap now knew the ACKs that passed the tap at least this long ago.
#pragma once

#include "analyzer/tcp/round_trips/rtt_track.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace iscsiscope {

class TapRttEstimator {
public:
    struct Estimate {
        Duration least{}, likely{}, most{};
        bool steady = false; // `likely` is reliable: its samples are recent and agree
        bool queued = false; // the round trip contains a queue
    };

    // At time `at` the sender's answer passed to a segment that had passed `loop` before. The answer may be
    // part of the next data sent, so that a sample may be too long by the time between two segments.
    void sample(Time at, Duration tap_rtt) {
        if (!is_tap_rtt(tap_rtt))
            return;
        found_until_ = never;
        min_ = min_ ? std::min(*min_, tap_rtt) : tap_rtt;
        recent_[next_] = {at, tap_rtt};
        next_ = (next_ + 1) % recent_.size();
        count_ = std::min(count_ + 1, recent_.size());
    }
    // An upper bound of the least loop: an ACK passed, and the data that it usually releases at once.
    void at_most(Duration tap_rtt) {
        if (!is_tap_rtt(tap_rtt) || (min_ && tap_rtt >= *min_))
            return;
        min_ = tap_rtt;
        found_until_ = never;
    }
    // The sender sent a segment, this long after the one before.
    void sent_after(Duration pause) {
        if (pause <= burst || pause >= longest_pause)
            return;
        pause_ += (pause - pause_) / 8;
        found_until_ = never;
    }

    // The sender restarts with no data in flight: discards samples that do not show the queue it will fill.
    void begins_anew() {
        if (count_ != 0)
            found_until_ = never;
        count_ = 0;
    }

    std::optional<Duration> least() const { return min_; }

    // Returns the estimate, valid until the next call of any function; null before the first sample.
    const Estimate *now(Time t) {
        if (!min_)
            return nullptr;
        if (t < found_at_ || t > found_until_)
            find(t);
        return &found_;
    }

private:
    // Computes the estimate, and the time until which it is valid without new samples.
    void find(Time t) {
        found_at_ = t;
        found_until_ = Time::max();
        // Samples are answers to data; a host reacts sooner to an ACK that lets it send on.
        const Duration least = std::max(*min_ - host_reaction, Duration::zero());
        Estimate &e = found_;
        e = {.least = least, .likely = least, .most = *min_};
        std::optional<Duration> shortest, longest;
        std::size_t fresh = 0;
        for (std::size_t i = 0; i < count_; ++i) {
            const Sample &s = recent_[i];
            if (t - s.at > shelf_life)
                continue;
            ++fresh;
            found_until_ = std::min(found_until_, s.at + shelf_life);
            shortest = shortest ? std::min(*shortest, s.tap_rtt) : s.tap_rtt;
            longest = longest ? std::max(*longest, s.tap_rtt) : s.tap_rtt;
        }
        e.steady = *min_ <= host_reaction; // the tap is at the sender itself
        if (!shortest)
            return;
        const Duration chance = std::max({host_reaction, 2 * pause_, *min_ / 8});
        const Duration latest = recent_[(next_ + recent_.size() - 1) % recent_.size()].tap_rtt;
        e.most = *longest;
        e.queued = *shortest - *min_ > chance; // a smaller excess is random
        if (e.queued)
            e.likely = std::max(least, std::min(latest, *shortest + *shortest / 4) - pause_ / 2);
        e.steady =
            e.steady || !e.queued || (fresh >= 2 && *longest - *shortest <= std::max(chance, *shortest / 5));
    }

    using ns = std::chrono::nanoseconds;
    static constexpr Duration burst = ns{50'000}, longest_pause = ns{10'000'000};
    // The most by which answering data takes longer than reacting to an ACK.
    static constexpr Duration host_reaction = ns{200'000};
    static constexpr Duration shelf_life = ns{600'000'000};
    static constexpr Time never = Time::min();

    struct Sample {
        Time at{};
        Duration tap_rtt{};
    };
    std::optional<Duration> min_;
    std::array<Sample, 3> recent_{};
    std::size_t next_ = 0, count_ = 0;
    Duration pause_{};
    Estimate found_; // valid from found_at_ to found_until_
    Time found_at_{}, found_until_ = never;
};

} // namespace iscsiscope
