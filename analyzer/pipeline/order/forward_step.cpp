// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/order/forward_step.h"

#include <algorithm>

namespace iscsiscope {

ForwardStep::Stamp *ForwardStep::stamp_of(const Endpoint &source, const Endpoint &destination) {
    const auto at = std::find_if(stamps_.begin(), stamps_.end(), [&](const Stamp &s) {
        return s.source == source && s.destination == destination;
    });
    return at == stamps_.end() ? nullptr : &*at;
}

void ForwardStep::add_before(const Segment &s) {
    if (!s.options.has_timestamps || (s.flags & tcp_syn) != 0)
        return;
    const std::uint32_t value = s.options.timestamp_value;
    if (Stamp *stamp = stamp_of(s.source, s.destination)) {
        stamp->first_value = value;
        stamp->first_time = s.time;
    } else {
        stamps_.push_back({s.source, s.destination, value, value, s.time, s.time});
    }
}

void ForwardStep::add_sample(const TimestampSamples::Sample &sample) {
    Stamp *stamp = stamp_of(sample.source, sample.destination);
    if (stamp == nullptr || sample.time >= stamp->first_time)
        return;
    stamp->first_value = sample.value;
    stamp->first_time = sample.time;
}

Duration ForwardStep::Stamp::tick() const {
    const auto ticks = static_cast<std::int32_t>(value - first_value);
    return ticks >= enough_ticks && time > first_time ? (time - first_time) / ticks : longest_tick;
}

ForwardStep::Verdict ForwardStep::judge(const Segment &s) {
    if (++seen_ > looked_at)
        return Verdict::passed;
    if (!s.options.has_timestamps)
        return Verdict::open;
    Stamp *own = stamp_of(s.source, s.destination);
    if (own == nullptr)
        return Verdict::open;
    const auto ticks = static_cast<std::int32_t>(s.options.timestamp_value - own->value);
    if (ticks < 0) // late in the file, or sent again
        return Verdict::open;
    if ((ticks + std::int64_t{1}) * own->tick() > (behind_ - before_) / 2)
        return Verdict::passed;
    own->stopped = true;
    const Stamp *peer = stamp_of(s.destination, s.source);
    return peer != nullptr && peer->stopped ? Verdict::stepped : Verdict::open;
}

} // namespace iscsiscope
