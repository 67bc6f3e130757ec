// SPDX-License-Identifier: GPL-2.0-or-later
// NoTaskIntervals: finds the time without a task of a connection, the parts of its active life in which the
// initiator had no task outstanding (docs/figures.md, "Busy time").
//
// In: began() with the first_seen of each task, open_from() where that was found later, ended() whenever the
// last open task has ended, in the order in which the engine learns of them. Out: each interval without a
// task once, when it can change no more, and their sum. States: a task is open (`idle_` empty); none is open
// since `idle_->end`. The initiator learns of an end and sends a command half of the round trip tap ->
// initiator -> tap away from the tap each: the first rtt_to_initiator of an interval without an open task is
// therefore busy time. A command may come behind a hole, later than commands that passed the tap after it: it
// shortens the last interval, which is final with the next one. That a task had ended may show only after
// time was counted as busy (not_before()): an interval begins with what has not been counted.
#pragma once

#include "analyzer/base/time.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace iscsiscope {

class NoTaskIntervals {
public:
    struct Interval {
        Time begin{}, end{};
    };

    // All tasks have ended, the last one at `end`.
    void ended(Time end, std::optional<Duration> rtt_to_initiator) { idle_ = Idle{end, rtt_to_initiator}; }

    // The end of the last task was sent again at this time, before the initiator had acknowledged it.
    void end_repeated(Time at) {
        if (idle_)
            idle_->end = std::max(idle_->end, at);
    }
    // A task was open from this time on, and not only from when it was first noticed, or it began just now.
    void open_from(Time first_seen) { last_.end = std::max(last_.begin, std::min(last_.end, first_seen)); }

    // A task begins. Returns the interval before the one that ends now, if there is any.
    std::optional<Interval> began(Time first_seen) {
        open_from(first_seen);
        if (!idle_)
            return std::nullopt;
        const Time begin = *without_task_from();
        at_least_ |= !idle_->rtt_to_initiator && first_seen > begin;
        idle_.reset();
        return first_seen > begin ? exchange({begin, first_seen}) : std::nullopt;
    }

    // Returns the last interval, cut to the active life; nothing may begin afterwards.
    std::optional<Interval> finish(Time life_end) {
        last_.end = std::min(last_.end, life_end);
        return exchange({});
    }

    // Time up to here has been counted as busy.
    void not_before(Time counted) { counted_ = std::max(counted_, counted); }

    // While no task is open at the tap: since when none is open at the initiator.
    std::optional<Time> without_task_from() const {
        if (!idle_)
            return std::nullopt;
        return std::max(counted_, idle_->end + idle_->rtt_to_initiator.value_or(Duration{}));
    }
    // The end of the latest interval that began() or open_from() took; Time{} before the first one.
    Time latest_interval_end() const { return last_.end; }
    // How much of [from, to) lies in the intervals since settled(), the one that has begun and not ended
    // included.
    Duration known_in(Time from, Time to) const {
        Duration known{};
        const auto add = [&](Time begin, Time end) {
            known += std::max(Duration{}, std::min(to, end) - std::max(from, begin));
        };
        if (recent_)
            for (const Interval &i : *recent_)
                add(i.begin, i.end);
        add(last_.begin, last_.end);
        if (idle_)
            add(*without_task_from(), to);
        return known;
    }
    // Nothing before now will be asked for again but the latest interval.
    void settled() { recent_.reset(); }
    // The sum of the intervals that were returned.
    Duration total() const { return total_; }
    // True if rtt_to_initiator was not known for an interval, so that it may be too long.
    bool at_least() const { return at_least_; }

private:
    struct Idle {
        Time end{};
        std::optional<Duration> rtt_to_initiator;
    };

    std::optional<Interval> exchange(Interval next) {
        const Interval done = last_;
        last_ = next;
        if (done.end <= done.begin)
            return std::nullopt;
        total_ += done.end - done.begin;
        if (!recent_)
            recent_ = std::make_unique<std::vector<Interval>>();
        if (recent_->size() < max_recent)
            recent_->push_back(done);
        return done;
    }

    std::optional<Idle> idle_;
    static constexpr std::size_t max_recent = 4096;

    Interval last_;                                 // empty: none
    std::unique_ptr<std::vector<Interval>> recent_; // before it, since settled()
    Time counted_ = Time::min();
    Duration total_{};
    bool at_least_ = false;
};

} // namespace iscsiscope
