// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/inference/known_range.h"

namespace iscsiscope {

// Finds the known ACKs by the tap-side round trip. With timestamps (`stamped`) they only replace older ones
// in `k`.
void KnownRange::add_by_time(Time now, const TapRttEstimator::Estimate &e, bool stamped, Known &k) {
    const AckBounds &acks = track_.bounds();
    const AckSeen *most = acks.last_by(now - e.least, near_max_);
    const AckSeen *likely = e.likely == e.least ? most : acks.last_by(now - e.likely, near_likely_);
    if (!stamped) {
        k.least = acks.last_by(now - e.most, near_min_);
        k.likely = likely;
        k.most = most;
        return;
    }
    const auto newer = [](const AckSeen *a, const AckSeen *b) {
        return a == nullptr || (b != nullptr && b->since > a->since) ? b : a;
    };
    k.likely = newer(k.likely, likely);
    k.most = newer(k.most, most);
}

KnownRange::Known KnownRange::at(const Connection &c, const SegmentReport &report, bool stale,
                                 CompactOptional<Duration> round_trip) {
    AckBounds &acks = track_.bounds();
    Known k;
    const Segment &s = *report.segment;
    const RttTrack &track = c.end(report.side).rtt;
    if (track.answers != tap_rtt_answers_) {
        tap_rtt_answers_ = track.answers;
        tap_rtt_.sample(s.time, track.latest_answer);
    }
    const bool stamped = s.options.has_timestamps && c.end(other(report.side)).timestamps;
    const bool by_tap_rtt = !stamped || stale;
    const TapRttEstimator::Estimate *tap_rtt = by_tap_rtt ? tap_rtt_.now(s.time) : nullptr;
    k.anchor = stamped ? Anchor::timestamp : tap_rtt != nullptr ? Anchor::tap_rtt : Anchor::tap;
    if (track_.acks().empty())
        return k;
    if (stamped) {
        const AckBounds::Known tick = acks.at_timestamp(s.options.timestamp_echo);
        k.least = tick.least;
        k.likely = k.most = tick.most;
        k.sure = true;
        k.by_echo = !stale;
    }
    if (stamped && !stale)
        exact_at_ = s.time;
    if (by_tap_rtt) {
        static constexpr TapRttEstimator::Estimate unknown{};
        const TapRttEstimator::Estimate &e = tap_rtt != nullptr ? *tap_rtt : unknown;
        if (!acks.is_latest(k.most) || !acks.in_order())
            add_by_time(s.time, e, stamped, k);
        k.queued = e.queued;
        // In a connection with timestamps ACKs found by time only fill the gaps between echoes.
        const bool echoes_near = exact_at_ && s.time - *exact_at_ <= round_trip.value_or(Duration{0});
        k.sure = e.steady && (!stamped || echoes_near);
        if (stamped && k.likely->state == k.most->state && k.most->state == k.least->state)
            k.sure = true; // no other state is possible
        if (!stamped && k.least != nullptr)
            acks.forget_before(s.time - 2 * e.most - std::chrono::seconds(1));
    }
    return k;
}

} // namespace iscsiscope
