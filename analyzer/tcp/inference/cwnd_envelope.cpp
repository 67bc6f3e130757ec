// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/inference/cwnd_envelope.h"

#include <algorithm>
#include <bit>

namespace iscsiscope {
namespace {

using namespace std::chrono_literals;

// Until a round trip has been seen.
constexpr Duration default_span = 100ms;
// The least retransmission timeout in use; what idle rules do, they do later than that.
constexpr Duration no_idle_rule = 200ms;
// Round trips over which BBR takes its bandwidth (ten), which its window is made of: it goes through
// all of its gains (eight) in that time.
constexpr int paced_trips = 10;

// Packets by which a group found by time may seem off.
constexpr std::uint64_t time_slack = 2;

} // namespace

void CwndEnvelope::forget_level() {
    level_.reset();
    long_level_.reset();
    long_high_.reset();
    held_ = full_ = 0;
    level_held_ = false;
    groups_ = 0;
    limited_ = false;
    flat_round_trips_ = 0;
    level_before_ = 0;
    low_ = 0;
    pace_.forget_peak();
    group_.sure = false; // the one that is open belongs to the time before
}

void CwndEnvelope::entered_recovery() {
    if (!shrinking_)
        level_at_loss_ = level_.value();
    shrinking_ = true;
    growing_fast_ = false;
    forget_level();
}

void CwndEnvelope::left_recovery() {
    shrinking_ = false;
    forget_level();
}

void CwndEnvelope::timed_out() {
    shrinking_ = true;
    growing_fast_ = true;
    forget_level();
}

void CwndEnvelope::idled() {
    forget_level();
}

void CwndEnvelope::close_group() {
    if (group_.released == 0 || !group_.sure)
        return;
    // With the pipe nearly drained it may as well have been the application that sent again.
    const bool drained = group_.released * 4 > level_.value() * 3;
    // Found by time an ACK may be taken for the one before it or behind it.
    const std::uint64_t below = group_.by_time ? 1 + time_slack : 1;
    const bool held = group_.pure && !drained && !group_.window_full && group_.pipe + below >= level_.value();
    constexpr unsigned mask = (1U << groups_judged) - 1;
    held_ = (held_ << 1 | (held ? 1U : 0U)) & mask;
    full_ = (full_ << 1 | (group_.full ? 1U : 0U)) & mask;
    ++groups_;
    judge_level();
    if (group_.window_full || shrinking_)
        pace_.forget_peak();
    else
        pace_.group(group_.pipe, group_.full, group_.doubt, time_, span_);
}

void CwndEnvelope::judge_level() {
    level_held_ = std::popcount(held_) >= static_cast<int>(groups_held) &&
                  std::popcount(full_) >= static_cast<int>(groups_full);
}

void CwndEnvelope::send(const Send &s, std::optional<Duration> round_trip) {
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
        // Growth at its fastest, slow start: a packet for each delivered (RFC 5681 section 3.1), and
        // none while the window is more than twice what was in use (RFC 7661; Linux does the same). BBR
        // starts without that rule, with a window of up to 2.89 times the product of bandwidth and round
        // trip.
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
    // What two releases in a row reached: one alone may have followed an ACK that the capture lacks.
    const std::uint64_t reached = std::min(s.pipe, pipe_before_);
    const std::uint64_t reached_surely = std::min(s.pipe_low, low_before_);
    cycle_.add(s.time, s.pipe_high, std::max(span_ * paced_trips, no_idle_rule));
    if (pace_.suspected()) {
        // Its window is twice the product of bandwidth and least round trip, and what was under way at some
        // time was at least that product. It follows both down without a loss: only the pipe is sure.
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
    // Where echoes are near they say where the level is: what is found by time must not lift it.
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

    const bool kept = level_held_ && groups_ >= groups_judged;
    if (level_at_loss_ > 0 && groups_ >= groups_judged) { // Reno halves it, CUBIC leaves 0.7 (RFC 9438)
        yields_ = 5 * level_.value() < 4 * level_at_loss_ ? yields_ + 1 : 0;
        level_at_loss_ = 0;
    }
    // With a queue in the loop the pipe is not known well enough to see a pace in it.
    const bool window_like = !s.queued || yields_ >= yields_judged;
    // Between its ACK and the last segment that this ACK releases the pipe is below the level.
    const bool near = s.pipe + group_.released + slack >= level_.value();
    // A window that nothing cut cannot be below what was under way a moment ago: then something else
    // (the application, a pace) holds the level where it is.
    const bool fallen = level_.value() + slack < long_level_.value();
    limited_ = (s.sure ? near : limited_) && kept && window_like && !fallen && !plateau() && !s.window_full;
    if (limited_) {
        low_ = level_.value();
        const std::uint64_t doubt = std::max(s.pipe_high - std::min(s.pipe, s.pipe_high), group_.released);
        ceiling_ = level_.value() + std::max(slack, std::min(doubt, level_.value() / 8));
        if (!pace_would_show()) // it may yet turn out to be a pace below a window of twice that
            ceiling_ = 2 * level_.value() + slack;
        if (s.by_time) { // the loop may have grown or shrunk since it was last seen
            low_ -= std::min(low_, std::max(slack, level_.value() / 12));
            ceiling_ = std::max(*ceiling_, level_.value() + std::max(slack, level_.value() / 6));
        }
    }
}

void CwndEnvelope::round_trip_passed() {
    pace_.round_trip_passed();
    const std::uint64_t level = level_.value();
    if (limited_ && level_before_ > 0) {
        growing_fast_ = 4 * level >= 5 * level_before_ && level >= level_before_ + 2;
    }
    const bool flat = level > 0 && level == level_before_ && level_held_;
    flat_round_trips_ = flat ? flat_round_trips_ + 1 : 0;
    level_before_ = level;
}

} // namespace iscsiscope
