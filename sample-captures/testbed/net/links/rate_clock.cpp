// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/net/links/rate_clock.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace iscsiscope::testbed::shim {
namespace {
// Bits * 10^9 pass 64 bits. An alias declaration cannot be marked as an extension.
__extension__ typedef __int128 Wide; // NOLINT(modernize-use-using)

} // namespace

RateClock::RateClock(std::vector<RateStep> schedule) : schedule_(std::move(schedule)) {}

std::int64_t RateClock::highest_rate() const {
    std::int64_t highest = 0;
    for (const RateStep &step : schedule_)
        highest = std::max(highest, step.bits_per_second);
    return highest;
}

void RateClock::enter_step_at(std::int64_t now_ns) {
    while (step_ + 1 < schedule_.size() && to_ns(schedule_[step_ + 1].from) <= now_ns) {
        ++step_;
        remainder_ = 0;
    }
}

RateClock::Sent RateClock::send(Instant at, std::uint64_t bytes) {
    if (schedule_.empty())
        return {at, at};
    if (to_ns(at) > free_ns_) {
        free_ns_ = to_ns(at);
        remainder_ = 0;
    }
    enter_step_at(free_ns_);
    // A step of rate 0 sends nothing: the first bit waits for the next step.
    while (schedule_[step_].bits_per_second == 0 && step_ + 1 < schedule_.size()) {
        free_ns_ = to_ns(schedule_[step_ + 1].from);
        enter_step_at(free_ns_);
    }
    const Instant start = instant_from_ns(free_ns_);
    // What is left to send, in bits * 10^9, so that no rounding is carried over a step's end.
    Wide left = static_cast<Wide>(bytes) * 8 * ns_per_second;
    while (true) {
        const Wide rate = schedule_[step_].bits_per_second;
        const bool last = step_ + 1 >= schedule_.size();
        if (!last) {
            const Wide room = rate * (to_ns(schedule_[step_ + 1].from) - free_ns_) - remainder_;
            if (room < left) {
                left -= std::max<Wide>(room, 0);
                free_ns_ = to_ns(schedule_[step_ + 1].from);
                enter_step_at(free_ns_);
                continue;
            }
        }
        if (rate == 0) { // only a schedule that ends in 0, which the scenario reader refuses
            free_ns_ = std::numeric_limits<std::int64_t>::max() / 4;
            break;
        }
        const Wide total = left + remainder_;
        free_ns_ += static_cast<std::int64_t>(total / rate);
        remainder_ = static_cast<std::int64_t>(total % rate);
        break;
    }
    return {start, instant_from_ns(free_ns_)};
}

} // namespace iscsiscope::testbed::shim
