// SPDX-License-Identifier: GPL-2.0-or-later
// Silences: when nothing of a kind came from a host for at least min_silence, the latest eight times.
#pragma once

#include "analyzer/base/time.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace iscsiscope {

// The first and the last event so far; never: there was none.
struct Events {
    static constexpr Time never = Time::min();

    Time first = never, last = never;
};

// The silence before the first event is one of the eight; it is not added.
class Silences {
public:
    static constexpr Duration min_silence = std::chrono::milliseconds{100};

    void add(Time begin, Time end) {
        if (kept_.size() == most)
            kept_.erase(kept_.begin());
        kept_.reserve(kept_.size() + 1); // exact: few hosts are silent often
        kept_.push_back({begin, end});
    }
    // Returns the longer one of the last silence and the one since the last event, as far as they lie in the
    // interval.
    Duration latest(Time from, Time to, Events e) const {
        const Silence last = kept_.empty() ? Silence{Events::never, e.first} : kept_.back();
        return std::max(since(from, to, e), last.within(from, to));
    }
    // Returns the longest silence in the interval.
    Duration longest(Time from, Time to, Events e) const {
        Duration longest = since(from, to, e);
        if (kept_.size() < most)
            longest = std::max(longest, Silence{Events::never, e.first}.within(from, to));
        for (const Silence &s : kept_)
            longest = std::max(longest, s.within(from, to));
        return longest;
    }

private:
    static constexpr std::size_t most = 8;

    struct Silence {
        Time begin{}, end{};
        Duration within(Time from, Time to) const {
            return end > from ? std::min(to, end) - std::max(from, begin) : Duration{};
        }
    };
    static Duration since(Time from, Time to, Events e) { return to - std::max(from, e.last); }

    std::vector<Silence> kept_; // the latest last
};

} // namespace iscsiscope
