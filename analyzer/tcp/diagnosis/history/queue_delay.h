// SPDX-License-Identifier: GPL-2.0-or-later
// QueueDelay: how much longer round trips take than on the empty path, as it is at the time. A segment waits
// in a queue behind the bytes that its sender has in flight ahead of it; one that was sent with little in
// flight takes the time of the empty path. Where that is long as well, no queue of this sender is the reason,
// but the path: its delay has changed (another route), or others fill its queue.
#pragma once

#include "analyzer/base/compact_optional.h"
#include "analyzer/base/containers/bounded_ring.h"
#include "analyzer/base/histogram.h"
#include "analyzer/base/time.h"
#include "analyzer/tcp/round_trips/recent_minimum.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace iscsiscope {

class QueueDelay {
public:
    // A segment passed that was sent with little in flight, or with more.
    void sent(Time when, bool with_little) {
        if (with_little != last_with_little_)
            changes_.push_back({when, with_little});
        last_with_little_ = with_little;
        pending_was_sent_ = pending_was_sent_ || when == pending_at_;
    }
    // A round trip that ends or begins with what passed at this time: with a segment for which sent() was
    // called, or, if not, for which it may follow before the next call.
    void add(Duration round_trip, Time when, bool was_sent) {
        settle();
        pending_ = round_trip;
        pending_at_ = when;
        pending_was_sent_ = was_sent;
    }
    // To be called after the last add(), before the results are read.
    void settle() {
        if (!pending_)
            return;
        const Duration round_trip = *std::exchange(pending_, std::nullopt);
        if (!min_ || round_trip < *min_)
            min_ = round_trip;
        while (!changes_.empty() && changes_.front().when <= pending_at_) {
            with_little_ = changes_.front().with_little; // round trips come in the order of their segments
            changes_.pop_front();
        }
        if (with_little_ && pending_was_sent_)
            unloaded_.add(round_trip);
        delays_.add(std::max(Duration{}, round_trip - *empty_path()).count());
    }
    // The round trip of the empty path: the least recent one of a segment sent with little in flight; the
    // least of all as long as there are few of these. Empty without samples.
    std::optional<Duration> empty_path() const {
        if (unloaded_.full())
            return unloaded_.least();
        return min_;
    }
    const Histogram &delays() const { return delays_; }

private:
    struct Change {
        Time when{};
        bool with_little = false;
    };

    BoundedRing<Change, 32> changes_;   // behind the segment of the last round trip
    bool with_little_ = false;          // as that segment was sent
    bool last_with_little_ = false;     // as the last segment was sent
    CompactOptional<Duration> pending_; // a round trip that is not counted yet
    Time pending_at_{};
    bool pending_was_sent_ = false;
    RecentMinimum<8> unloaded_;
    CompactOptional<Duration> min_;
    Histogram delays_;
};

} // namespace iscsiscope
