// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/diagnosis/history/known_acks.h"

#include <algorithm>

namespace iscsiscope {

const AckSeen &KnownAcks::known() const {
    const AckSeen *k = log_.at(known_);
    return k != nullptr ? *k : nothing;
}

void KnownAcks::note_release(const Segment &s) {
    const AckSeen *before = log_.at(log_.end() - 2);
    if (!s.options.has_timestamps || before == nullptr ||
        log_.latest().timestamp != s.options.timestamp_echo || before->timestamp == log_.latest().timestamp ||
        s.time < log_.latest().time)
        return;
    const Duration loop = s.time - log_.latest().time;
    if (!least_release_ || loop < *least_release_)
        least_release_ = loop;
}

Duration KnownAcks::to_sender(std::optional<Duration> minimum) const {
    Duration loop = minimum.value_or(Duration{});
    if (least_release_)
        loop = std::min(loop, *least_release_);
    return loop <= host_reaction ? Duration{} : loop;
}

const AckSeen *KnownAcks::learn_next(Time now, Duration loop) {
    const AckSeen *next = log_.at(known_ + 1);
    if (next == nullptr || next->time + loop > now)
        return nullptr;
    ++known_;
    return next;
}

void KnownAcks::skip_discarded() {
    if (known_ == 0 && known_ + 1 < log_.end())
        known_ = log_.end() - 1;
}

std::uint64_t KnownAcks::known_by(const Segment &s, Duration loop) const {
    std::uint64_t n = known_;
    const auto unknown = [&](const AckSeen &a) {
        return s.options.has_timestamps
                   ? static_cast<std::int32_t>(a.timestamp - s.options.timestamp_echo) > 0
                   : a.time > s.time - loop;
    };
    for (const AckSeen *a = log_.at(n); a != nullptr && n > known_at_send_ && unknown(*a); a = log_.at(n))
        --n;
    return n;
}

void KnownAcks::sent(const Segment &s, Duration loop) {
    known_at_send_ = known_by(s, loop);
    log_.forget_below(known_at_send_);
}

} // namespace iscsiscope
