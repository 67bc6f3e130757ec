// SPDX-License-Identifier: GPL-2.0-or-later
// QueueDelay: how much longer round trips take than on the empty path, as it is at the time. A segment waits
// in a queue behind the bytes that its sender has in flight ahead of it; one that was sent with little in
// flight takes the time of the empty path. Where that is long as well, no queue of this sender is the reason,
// but the path: its delay has changed (another route), or others fill its queue.
#pragma once

#include "analyzer/base/histogram.h"
#include "analyzer/base/time.h"
#include "analyzer/tcp/stream/recent_minimum.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace iscsiscope {

class QueueDelay {
public:
    // A segment passed that was sent with little in flight.
    void sent_with_little(Time when) {
        little_[next_] = when;
        next_ = (next_ + 1) % little_.size();
    }
    // A round trip of the segment that passed at this time; sent_with_little() may follow for that segment.
    void add(Duration round_trip, Time when) {
        settle();
        pending_ = {round_trip, when};
    }
    // To be called after the last add(), before the results are read.
    void settle() {
        const auto sample = std::exchange(pending_, std::nullopt);
        if (!sample)
            return;
        if (!least_ || sample->first < *least_)
            least_ = sample->first;
        if (std::find(little_.begin(), little_.end(), sample->second) != little_.end())
            unloaded_.add(sample->first);
        delays_.add(std::max(Duration{}, sample->first - *empty_path()).count());
    }
    // The round trip of the empty path: the least one of late of a segment sent with little in flight; the
    // least of all as long as there are few of these. Empty without samples.
    std::optional<Duration> empty_path() const {
        return unloaded_.full() ? std::optional(unloaded_.least()) : least_;
    }
    const Histogram &delays() const { return delays_; }

private:
    std::array<Time, 32> little_{}; // the last ones
    std::size_t next_ = 0;
    std::optional<std::pair<Duration, Time>> pending_;
    RecentMinimum<8> unloaded_;
    std::optional<Duration> least_;
    Histogram delays_;
};

} // namespace iscsiscope
