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
    const Duration tap_rtt = s.time - log_.latest().time;
    if (!min_release_ || tap_rtt < *min_release_)
        min_release_ = tap_rtt;
}

Duration KnownAcks::to_sender(std::optional<Duration> minimum) const {
    Duration tap_rtt = minimum.value_or(Duration{});
    if (min_release_)
        tap_rtt = std::min(tap_rtt, *min_release_);
    return tap_rtt <= host_reaction ? Duration{} : tap_rtt;
}

const AckSeen *KnownAcks::learn_next(Time now, Duration tap_rtt) {
    const AckSeen *next = log_.at(known_ + 1);
    if (next == nullptr || next->time + tap_rtt > now)
        return nullptr;
    ++known_;
    return next;
}

void KnownAcks::skip_discarded() {
    if (known_ == 0 && known_ + 1 < log_.end())
        known_ = log_.end() - 1;
}

std::uint64_t KnownAcks::known_by(const Segment &s, Duration tap_rtt) const {
    std::uint64_t n = known_;
    const auto unknown = [&](const AckSeen &a) {
        return s.options.has_timestamps
                   ? static_cast<std::int32_t>(a.timestamp - s.options.timestamp_echo) > 0
                   : a.time > s.time - tap_rtt;
    };
    for (const AckSeen *a = log_.at(n); a != nullptr && n > known_at_send_ && unknown(*a); a = log_.at(n))
        --n;
    return n;
}

void KnownAcks::sent(const Segment &s, Duration tap_rtt) {
    known_at_send_ = known_by(s, tap_rtt);
    log_.forget_below(known_at_send_);
}

} // namespace iscsiscope
