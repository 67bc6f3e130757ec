// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/inference/ack_history.h"

namespace iscsiscope {
namespace {

bool later(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a - b) > 0;
}

} // namespace

void AckHistory::add(const AckState &s) {
    if (!states_.empty()) {
        const AckState &last = states_.back();
        if (last.says_the_same(s)) {
            repeated(s.last_timestamp);
            return;
        }
        AckState next = s;
        // An ACK that was overtaken: its own TSval is older, the sender knew the newer one before.
        if (later(last.last_timestamp, next.first_timestamp))
            next.first_timestamp = next.last_timestamp = last.last_timestamp;
        states_.push_back(next);
        return;
    }
    states_.push_back(s);
}

void AckHistory::repeated(std::uint32_t timestamp) {
    AckState &last = states_.back();
    if (later(timestamp, last.last_timestamp))
        last.last_timestamp = timestamp;
}

const AckState *AckHistory::last_by(Time t) const {
    std::size_t below = 0, above = states_.size(); // all before `below` are by then, none from `above` on
    while (below < above) {
        const std::size_t middle = (below + above) / 2;
        if (states_[middle].time <= t)
            below = middle + 1;
        else
            above = middle;
    }
    return below == 0 ? nullptr : &states_[below - 1];
}

AckHistory::Known AckHistory::at_timestamp(std::uint32_t echoed) {
    while (states_.size() > 1 && later(echoed, states_[0].last_timestamp) &&
           !later(states_[1].first_timestamp, echoed))
        states_.pop_front();
    std::size_t most = 0;
    while (most + 1 < states_.size() && !later(states_[most + 1].first_timestamp, echoed))
        ++most;
    // The front's last timestamp is the echoed one or later, unless nothing matches it.
    const AckState &front = states_[0];
    const bool exact = !later(front.first_timestamp, echoed) && !later(echoed, states_[most].last_timestamp);
    // The ACK with this stamp is not in the capture: it was no later than the next that is.
    if (!exact && most + 1 < states_.size())
        ++most;
    return {&front, &states_[most], exact};
}

void AckHistory::forget_before(Time t) {
    while (states_.size() > 1 && states_[1].time <= t)
        states_.pop_front();
}

} // namespace iscsiscope
