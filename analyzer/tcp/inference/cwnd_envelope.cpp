// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/inference/cwnd_envelope.h"

#include <algorithm>

namespace iscsiscope {
namespace {

using namespace std::chrono_literals;

// The span of the level while no round trip is known.
constexpr Duration default_span = 100ms;
// Senders cut an idle window (RFC 7661) no earlier than after the least retransmission timeout in use.
constexpr Duration no_idle_rule = 200ms;
// Round trips over which BBR takes the maximum of its bandwidth, the basis of its window. It goes through all
// of its eight gains in that time.
constexpr int paced_trips = 10;

// Packets by which the pipe of a group found by time may be wrong.
constexpr std::uint64_t time_slack = 2;

} // namespace

void CwndEnvelope::forget_level() {
    level_.reset();
    long_level_.reset();
    long_high_.reset();
    votes_.forget();
    trend_.forget_level();
    limited_ = false;
    low_ = 0;
    pace_.forget_peak();
    group_.sure = false; // the open group began before
}

void CwndEnvelope::entered_recovery() {
    if (!shrinking_)
        falls_.lost(level_.value());
    shrinking_ = true;
    trend_.set_growing_fast(false);
    forget_level();
}

void CwndEnvelope::left_recovery() {
    shrinking_ = false;
    forget_level();
}

void CwndEnvelope::timed_out() {
    shrinking_ = true;
    trend_.set_growing_fast(true);
    forget_level();
}

void CwndEnvelope::idled() {
    forget_level();
}

void CwndEnvelope::close_group() {
    if (group_.released == 0 || !group_.sure)
        return;
    // With the pipe nearly drained, the group may be a new write of the application.
    const bool drained = group_.released * 4 > level_.value() * 3;
    // An ACK found by time may be mistaken for its neighbours.
    const std::uint64_t below = group_.by_time ? 1 + time_slack : 1;
    const bool held = group_.pure && !drained && !group_.window_full && group_.pipe + below >= level_.value();
    votes_.add(held, group_.full);
    if (group_.window_full || shrinking_)
        pace_.forget_peak();
    else
        pace_.group(group_.pipe, group_.full, group_.doubt, time_, span_);
}

void CwndEnvelope::send(const Send &s, CompactOptional<Duration> round_trip) {
    const bool advanced = any_ && s.delivered > group_.delivered;
    if (advanced) {
        close_group();
        const std::uint64_t released = s.delivered - group_.delivered;
        pipe_before_ = group_.pipe;
        low_before_ = group_.low;
        group_ = {};
        group_.delivered = s.delivered;
        group_.released = released;
        group_.pure = s.pure_release;
        // The fastest growth is that of slow start: one packet per delivered packet (RFC 5681 section 3.1),
        // and none while the window is more than twice the used part (RFC 7661; Linux does the same). BBR
        // does not follow that rule at its start: its window is up to 2.89 bandwidth-delay products.
        if (ceiling_ && !shrinking_) {
            const std::uint64_t times = pace_would_show() ? 2 : 3;
            ceiling_ =
                std::max(*ceiling_, std::min(*ceiling_ + released, times * long_high_.value() + slack));
        }
    } else if (!any_) {
        group_.delivered = s.delivered;
    }
    any_ = true;
    time_ = s.time;
    group_.pipe = s.pipe;
    group_.low = s.pipe_low;
    group_.by_time = group_.by_time || s.by_time;
    if (s.by_time)
        group_.doubt = (std::max(s.pipe_high, s.pipe_low) - s.pipe_low) / 2;
    group_.window_full = s.window_full;
    group_.full = s.full;
    group_.sure = group_.sure && s.sure;
    span_ = round_trip.value_or(default_span);
    // The level that two consecutive releases reached: a single one may follow an ACK that the capture lacks.
    const std::uint64_t reached = std::min(s.pipe, pipe_before_);
    const std::uint64_t reached_surely = std::min(s.pipe_low, low_before_);
    cycle_.add(s.time, s.pipe_high, std::max(span_ * paced_trips, no_idle_rule));
    if (pace_.suspected()) {
        // BBR's window is two bandwidth-delay products, and the pipe of some moment was at least one product.
        // The window follows both factors down without a loss, so that only the pipe is a lower bound.
        low_ = std::max<std::uint64_t>(reached_surely, 1);
        ceiling_ = 2 * cycle_.value() + paced_slack + cycle_.value() / 8;
        limited_ = false;
        return;
    }
    if (shrinking_) {
        low_ = s.pipe_low;
        limited_ = false;
        return;
    }
    // A pipe found by time must not raise a level that was found by echoes shortly before.
    if (!s.by_time)
        exact_at_ = s.time;
    const bool mixed = s.by_time && exact_at_ && s.time - *exact_at_ <= span_;
    level_.add(s.time, mixed ? reached - std::min(reached, time_slack) : reached, span_);
    long_level_.add(s.time, reached_surely, std::max(span_, no_idle_rule));
    long_high_.add(s.time, s.pipe_high, std::max(span_, no_idle_rule));
    low_ = std::max<std::uint64_t>(long_level_.value(), 1);
    if (ceiling_)
        ceiling_ = std::max(*ceiling_, low_);
    if (s.by_time)
        low_ -= std::min(low_ - 1, time_slack);

    const bool kept = votes_.held() && votes_.enough();
    if (votes_.enough())
        falls_.found(level_.value());
    // With a queue in the tap-side round trip the pipe is not known well enough to recognise pacing by it.
    const bool window_like = !s.queued || falls_.shown();
    // Between an ACK and the last segment that it releases the pipe is below the level.
    const bool near = s.pipe + group_.released + slack >= level_.value();
    // Without a loss the window cannot be below the pipe of a moment ago: then something else (the
    // application, pacing) limits the sender.
    const bool fallen = level_.value() + slack < long_level_.value();
    limited_ = (s.sure ? near : limited_) && kept && window_like && !fallen && !plateau() && !s.window_full;
    if (limited_) {
        low_ = level_.value();
        const std::uint64_t doubt = std::max(s.pipe_high - std::min(s.pipe, s.pipe_high), group_.released);
        ceiling_ = level_.value() + std::max(slack, std::min(doubt, level_.value() / 8));
        if (!pace_would_show()) // the sender may be paced, with a window of twice the level
            ceiling_ = 2 * level_.value() + slack;
        if (s.by_time) { // the tap-side round trip may have changed since its last sample
            low_ -= std::min(low_, std::max(slack, level_.value() / 12));
            ceiling_ = std::max(*ceiling_, level_.value() + std::max(slack, level_.value() / 6));
        }
    }
}

void CwndEnvelope::round_trip_passed() {
    pace_.round_trip_passed();
    trend_.round_trip_passed(level_.value(), votes_.held(), limited_);
}

} // namespace iscsiscope
