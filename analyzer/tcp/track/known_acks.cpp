// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/track/known_acks.h"

#include <algorithm>

namespace iscsiscope {

std::uint64_t KnownAcks::next(std::uint64_t number) const {
    if (log_.empty() || log_.latest_news() <= number || log_.latest_news() < log_.first())
        return 0;
    std::uint64_t n = std::max(number + 1, log_.first());
    while (log_[n].news_back != 0) // at the latest the latest one ends this
        ++n;
    return n;
}

std::uint64_t KnownAcks::previous(std::uint64_t number) const {
    const AckSeen *before = log_.at(number - 1);
    if (before == nullptr)
        return 0;
    const std::uint64_t news = number - 1 - before->news_back;
    return log_.at(news) != nullptr ? news : 0;
}

void KnownAcks::note_release(const Segment &s) {
    const AckSeen &last = latest();
    const AckSeen *before = log_.at(previous(log_.latest_news()));
    if (!s.options.has_timestamps || before == nullptr || last.timestamp != s.options.timestamp_echo ||
        before->timestamp == last.timestamp || s.time < last.time)
        return;
    const Duration tap_rtt = s.time - last.time;
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
    const std::uint64_t n = next(known_);
    const AckSeen *found = log_.at(n);
    if (found == nullptr || found->time + tap_rtt > now)
        return nullptr;
    known_ = n;
    return found;
}

void KnownAcks::skip_unknown() {
    if (known_ == 0 && !log_.empty())
        known_ = log_.latest_news();
}

std::uint64_t KnownAcks::known_by(const Segment &s, Duration tap_rtt) const {
    std::uint64_t n = known_;
    const auto unknown = [&](const AckSeen &a) {
        return s.options.has_timestamps ? is_later_stamp(a.timestamp, s.options.timestamp_echo)
                                        : a.time > s.time - tap_rtt;
    };
    for (const AckSeen *a = log_.at(n); a != nullptr && n > known_at_send_ && unknown(*a); a = log_.at(n))
        n = std::max(previous(n), known_at_send_);
    return n;
}

} // namespace iscsiscope
