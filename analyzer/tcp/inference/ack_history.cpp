// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/inference/ack_history.h"

namespace iscsiscope {
namespace {

constexpr unsigned near_enough = 8; // states that last_by() searches linearly from its hint

bool later(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a - b) > 0;
}

} // namespace

void AckHistory::drop_oldest() {
    states_.pop_front();
    at_ -= at_ > 0 ? 1 : 0;
}

void AckHistory::add(const AckState &s) {
    if (states_.empty()) {
        states_.push_back(s);
        states_.back().number = next_number_++;
        return;
    }
    if (states_.back().equivalent(s)) {
        repeated(s.last_timestamp);
        return;
    }
    const std::uint32_t latest = states_.back().last_timestamp;
    in_order_ = in_order_ && s.time >= states_.back().time;
    if (states_.size() == max_states) {
        drop_oldest();
        answer_holds_ = false;
    }
    states_.push_back(s);
    // A reordered ACK has an older TSval, but the sender knew the newer one before.
    AckState &next = states_.back();
    next.number = next_number_++;
    if (later(latest, next.first_timestamp))
        next.first_timestamp = next.last_timestamp = latest;
    answer_holds_ = answer_holds_ && later(next.first_timestamp, latest_echo_);
}

void AckHistory::repeated(std::uint32_t timestamp) {
    AckState &last = states_.back();
    if (later(timestamp, last.last_timestamp))
        last.last_timestamp = timestamp;
}

const AckState *AckHistory::search(Time t) const {
    std::size_t below = 0, above = states_.size(); // passed by then: all before `below`, none from `above` on
    while (below < above) {
        const std::size_t middle = (below + above) / 2;
        if (states_[middle].time <= t)
            below = middle + 1;
        else
            above = middle;
    }
    return below == 0 ? nullptr : &states_[below - 1];
}

const AckState *AckHistory::last_by(Time t, std::uint32_t &near) const {
    if (!in_order_ || states_.empty())
        return search(t);
    const std::uint32_t first = states_.front().number;
    std::size_t i = near - first; // wraps to beyond the end if the state is no longer held
    unsigned steps = i < states_.size() ? near_enough : 0;
    for (; steps > 0 && i + 1 < states_.size() && states_[i + 1].time <= t; --steps)
        ++i;
    for (; steps > 0 && i > 0 && states_[i].time > t; --steps)
        --i;
    const AckState *found = steps == 0 ? search(t) : states_[i].time <= t ? &states_[i] : nullptr;
    near = found != nullptr ? found->number : first;
    return found;
}

AckHistory::Known AckHistory::find_timestamp(std::uint32_t echoed) {
    while (states_.size() > 1 && later(echoed, states_[0].last_timestamp) &&
           !later(states_[1].first_timestamp, echoed))
        drop_oldest();
    // First timestamps never decrease from one state to the next.
    while (at_ > 0 && later(states_[at_].first_timestamp, echoed))
        --at_;
    while (at_ + 1 < states_.size() && !later(states_[at_ + 1].first_timestamp, echoed))
        ++at_;
    std::size_t most = at_;
    // The front's last timestamp is the echoed one or later, unless no state matches it.
    const AckState &front = states_[0];
    const bool exact = !later(front.first_timestamp, echoed) && !later(echoed, states_[most].last_timestamp);
    latest_echo_ = echoed;
    answer_holds_ = exact; // only a later ACK with this stamp would change the answer
    // The ACK with this stamp is not in the capture: it passed no later than the next one that is.
    if (!exact && most + 1 < states_.size())
        ++most;
    return {&front, &states_[most], exact};
}

void AckHistory::forget_before(Time t) {
    while (states_.size() > 1 && states_[1].time <= t)
        drop_oldest();
}

} // namespace iscsiscope
