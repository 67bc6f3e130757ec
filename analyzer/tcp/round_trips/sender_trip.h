// SPDX-License-Identifier: GPL-2.0-or-later
// SenderTrip: measures the full round trip of one sender at any tap, one after the other, as the sum of data
// → its ACK and that ACK → data that it released. In: each segment of new data. Out: latest(), with all that
// delayed the ACK.
#pragma once

#include "analyzer/base/compact_optional.h"
#include "analyzer/tcp/round_trips/tap_rtt_estimator.h"

#include <cstdint>

namespace iscsiscope {

class SenderTrip {
public:
    const CompactOptional<Duration> &latest() const { return latest_; }
    // Bytes were sent again: what runs is no sample (Karn's rule).
    void resent() { running_ = false; }
    // A segment passed whose sender knew everything below `acked` to be acknowledged, by an ACK that had
    // passed at `since`. shown: the tap-side round trip tap → sender → tap that the segment shows itself, if
    // it does; usual: that round trip. Returns true if a round trip has passed.
    bool ended(std::uint64_t acked, Time since, Time now, CompactOptional<Duration> shown,
               TapRttEstimator &usual) {
        if (shown && (!tap_rtt_ || *shown < *tap_rtt_))
            tap_rtt_ = shown;
        if (!running_ || acked < end_)
            return false;
        std::optional<Duration> rest = tap_rtt_;
        if (const TapRttEstimator::Estimate *e = rest ? nullptr : usual.now(now))
            rest = e->likely;
        if (rest && since >= begin_)
            latest_ = since - begin_ + *rest;
        running_ = false;
        return true;
    }
    // One begins with this segment, unless one runs.
    void begins(std::uint64_t end, Time now) {
        if (running_)
            return;
        running_ = true;
        end_ = end;
        begin_ = now;
        tap_rtt_.reset();
    }

private:
    bool running_ = false;
    std::uint64_t end_ = 0; // the round trip ends when the sender knows this offset to be acknowledged
    Time begin_{};
    CompactOptional<Duration> tap_rtt_; // least tap-side round trip since begin_
    CompactOptional<Duration> latest_;
};

} // namespace iscsiscope
