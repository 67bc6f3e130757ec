// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/session/dispatch.h"

#include <algorithm>
#include <array>
#include <utility>

namespace iscsiscope::testbed::initiator {

namespace {
constexpr std::array<std::pair<DispatchPolicy, std::string_view>, 3> names{{
    {DispatchPolicy::round_robin, "round-robin"},
    {DispatchPolicy::least_loaded, "least-loaded"},
    {DispatchPolicy::first_free, "first-free"},
}};
} // namespace

std::optional<DispatchPolicy> dispatch_from_name(std::string_view wanted) {
    for (const auto &[value, text] : names)
        if (text == wanted)
            return value;
    return std::nullopt;
}

std::string_view name(DispatchPolicy policy) {
    for (const auto &[value, text] : names)
        if (value == policy)
            return text;
    return "unknown";
}

Dispatcher::Dispatcher(DispatchPolicy policy, unsigned connections, unsigned limit)
    : policy_(policy), limit_(policy == DispatchPolicy::first_free ? std::max(limit, 1U) : limit),
      active_(connections), outstanding_(connections, 0) {
    if (policy_ == DispatchPolicy::first_free)
        for (unsigned place = 0; place < limit_; ++place)
            for (unsigned connection = 0; connection < connections; ++connection)
                free_.push_back(connection);
}

void Dispatcher::set_active(unsigned n) {
    active_ = std::clamp(n, 1U, static_cast<unsigned>(outstanding_.size()));
}

std::optional<unsigned> Dispatcher::choose() {
    switch (policy_) {
    case DispatchPolicy::first_free: {
        // Places of connections that are switched off stay in the queue for when they come back.
        const auto place = std::find_if(free_.begin(), free_.end(), [&](unsigned c) { return has_room(c); });
        if (place == free_.end())
            return std::nullopt;
        const unsigned connection = *place;
        free_.erase(place);
        return connection;
    }
    case DispatchPolicy::least_loaded: {
        const auto end = outstanding_.begin() + static_cast<std::ptrdiff_t>(active_);
        const auto least = std::min_element(outstanding_.begin(), end);
        const auto connection = static_cast<unsigned>(least - outstanding_.begin());
        return has_room(connection) ? std::optional{connection} : std::nullopt;
    }
    case DispatchPolicy::round_robin:
        break;
    }
    const unsigned connection = turn_ < active_ ? turn_ : 0;
    if (!has_room(connection))
        return std::nullopt;
    turn_ = (connection + 1) % active_;
    return connection;
}

std::optional<unsigned> Dispatcher::take() {
    const auto connection = choose();
    if (connection)
        ++outstanding_[*connection];
    return connection;
}

void Dispatcher::finished(unsigned connection) {
    --outstanding_[connection];
    if (policy_ == DispatchPolicy::first_free)
        free_.push_back(connection);
}

} // namespace iscsiscope::testbed::initiator
