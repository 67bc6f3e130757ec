// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/track/ack_bounds.h"

#include <algorithm>

namespace iscsiscope {
namespace {

constexpr unsigned near_enough = 8; // entries that last_by() searches linearly from its hint

} // namespace

// Returns the number of the last entry that had passed by this time; below first(): none had.
std::uint64_t AckBounds::search(Time t) const {
    std::uint64_t below = first(), above = log_.end(); // passed: all before `below`, none from `above` on
    while (below < above) {
        const std::uint64_t middle = (below + above) / 2;
        if (log_[middle].time <= t)
            below = middle + 1;
        else
            above = middle;
    }
    return below - 1;
}

const AckSeen *AckBounds::last_by(Time t, std::uint64_t &near) const {
    const std::uint64_t oldest = first(), end = log_.end();
    std::uint64_t n = in_order() ? near : 0;
    unsigned steps = n >= oldest && n < end ? near_enough : 0;
    for (; steps > 0 && n + 1 < end && log_[n + 1].time <= t; --steps)
        ++n;
    for (; steps > 0 && n > oldest && log_[n].time > t; --steps)
        --n;
    if (steps == 0)
        n = search(t);
    near = std::max(n, oldest);
    return n >= oldest && log_[n].time <= t ? &log_[n] : nullptr;
}

AckBounds::Known AckBounds::at_timestamp(std::uint32_t echoed) {
    const std::uint64_t end = log_.end();
    if (answered_to_ == end && echoed == latest_echo_ && exact_ && first_ >= log_.first())
        return {&log_[first_], &log_[at_], true};
    first_ = first();
    while (first_ + 1 < end && is_later_stamp(echoed, log_[first_].last_stamp) &&
           !is_later_stamp(log_[first_ + 1].first_stamp, echoed))
        ++first_;
    // First stamps never decrease from one entry to the next.
    at_ = std::clamp(at_, first_, end - 1);
    while (at_ > first_ && is_later_stamp(log_[at_].first_stamp, echoed))
        --at_;
    while (at_ + 1 < end && !is_later_stamp(log_[at_ + 1].first_stamp, echoed))
        ++at_;
    // The first one's last stamp is the echoed one or later, unless no entry matches it.
    exact_ =
        !is_later_stamp(log_[first_].first_stamp, echoed) && !is_later_stamp(echoed, log_[at_].last_stamp);
    latest_echo_ = echoed;
    answered_to_ = end;
    // The ACK with this stamp is not in the capture: it passed no later than the next one that is.
    const std::uint64_t most = !exact_ && at_ + 1 < end ? at_ + 1 : at_;
    return {&log_[first_], &log_[most], exact_};
}

void AckBounds::forget_before(Time t) {
    first_ = first();
    while (first_ + 1 < log_.end() && log_[first_ + 1].time <= t)
        ++first_;
}

} // namespace iscsiscope
