// SPDX-License-Identifier: GPL-2.0-or-later
// DirectionDiagnosis: what the receiver does: acknowledgments and their delay, window, SACK and DSACK.
#include "analyzer/tcp/diagnosis/direction_diagnosis.h"

#include <algorithm>

namespace iscsiscope {

ReceiverWatch::Offer DirectionDiagnosis::offer(const Connection &c, const Segment &s) const {
    return {c.end(sender_).acked_offset, high_end_, figures().full_segment, s.window};
}

// True if the window is unchanged and not zero, and its scale is unknown.
bool DirectionDiagnosis::window_brings_no_news(const Connection &c, const SegmentReport &r) const {
    return r.continues_run && r.segment->window != 0 && !c.end(other(sender_)).window_scale_known;
}

// Most data segments only repeat the acknowledgment and window of the one before.
bool DirectionDiagnosis::repeats_last_answer(const Connection &c, const SegmentReport &r) const {
    const Segment &s = *r.segment;
    return s.payload_length != 0 && !r.ack_advanced && s.options.sack_count == 0 &&
           (s.flags & tcp_syn) == 0 && undecided_.empty() &&
           (offer(c, s) == receiver_.last_offer() || window_brings_no_news(c, r));
}

void DirectionDiagnosis::answered(const Connection &c, const SegmentReport &r, DirectionSink &out) {
    if (const ReceiverWatch::Offer &last = receiver_.last_offer();
        r.continues_run && undecided_.empty() && last.sent_to == high_end_ &&
        last.full_segment == figures().full_segment)
        return; // the acknowledgment is the same, and its peer has sent nothing
    const Segment &s = *r.segment;
    if ((s.flags & tcp_ack) == 0 || (s.flags & tcp_rst) != 0)
        return;
    if (short_ways_ == ShortWays::taken && repeats_last_answer(c, r)) {
        track_.repeated(s);
        return;
    }
    const bool first = track_.acks().empty();
    const AckSeen &before = first ? AckedLog::nothing : track_.acks().latest();
    AckSeen a = track_.answer(c, s);
    if ((s.flags & tcp_syn) == 0) {
        receiver_.window(s, c.end(other(sender_)), offer(c, s), any_sent_, a, tally_);
        note_sack(s, a);
    }
    if (s.payload_length == 0)
        ++figures().pure_acks;
    if (r.ack_advanced) {
        note_delay(c, r, a);
        note_acked(s, a.acked, before, c.end(other(sender_)).sack_permitted);
    }
    track_.sum_sacked(a);
    if (!r.ack_advanced && s.payload_length == 0 && (s.flags & (tcp_syn | tcp_fin)) == 0 &&
        high_end_ > a.acked && any_sent_ && !first && !r.probe &&
        (a.edge == before.edge || a.highest() > before.highest())) {
        ++figures().duplicate_acks;
        ++a.duplicates;
    }
    undecided_.hole_reported(
        [&](std::uint64_t from, std::uint64_t to) { return hole_reported(a, from, to); });
    track_.take(a);
    if (!undecided_.empty())
        settle(c, s.time, false, out);
}

// Measures how long the receiver delayed the ACK of the last segment, if no later segment can have caused it.
void DirectionDiagnosis::note_delay(const Connection &c, const SegmentReport &r, AckSeen &a) {
    if (r.segment->payload_length != 0 || a.acked != high_end_ || !any_sent_)
        return;
    const SentLog::Sent *last = sent_.holding(a.acked - 1);
    if (last == nullptr || last->repeats != 0 || last->end() != a.acked)
        return;
    if (const std::optional<Duration> tap_rtt = c.end(other(sender_)).rtt.min_now())
        receiver_.held(a, *last, *tap_rtt, tally_);
}

void DirectionDiagnosis::note_sack(const Segment &s, const AckSeen &a) {
    const auto offset_of = [&](std::uint32_t sequence) {
        return track_.offset_of(sequence, a.acked).value_or(-1); // before the first data none is known
    };
    for (std::size_t i = 0; i < s.options.sack_count; ++i) {
        const std::int64_t left = offset_of(s.options.sack[i].left),
                           right = offset_of(s.options.sack[i].right);
        if (left < 0 || right <= left)
            continue;
        const auto from = static_cast<std::uint64_t>(left), to = static_cast<std::uint64_t>(right);
        // RFC 2883: the first block reports duplicates if it lies below the ACK or inside the second one.
        bool twice = i == 0 && to <= a.acked;
        if (i == 0 && !twice && s.options.sack_count > 1) {
            const std::int64_t l2 = offset_of(s.options.sack[1].left),
                               r2 = offset_of(s.options.sack[1].right);
            twice = left >= l2 && right <= r2;
        }
        if (twice) {
            if (!undecided_.duplicate_received(from, to, s.frame) && troubles().duplicates_received++ == 0)
                troubles().first_duplicate = s.frame;
        } else if (from > a.acked) {
            track_.add_sacked(from, to);
        }
    }
}

// True for a segment that is acknowledged now, had no repeat, and lies below bytes that the receiver SACKed
// before.
bool DirectionDiagnosis::overtaken_behind_tap(const SentLog::Sent &e, const AckSeen &before) const {
    if (e.repeats != 0 || e.late != 0 || e.end() > before.highest() || e.begin < before.acked)
        return false;
    const auto &ranges = track_.board().ranges();
    return ranges.size() < SackBoard::max_ranges &&
           std::none_of(ranges.begin(), ranges.end(),
                        [&](const SackBoard::Range &r) { return r.begin < e.end() && r.end > e.begin; });
}

void DirectionDiagnosis::note_acked(const Segment &s, std::uint64_t acked, const AckSeen &before,
                                    bool sack_permitted) {
    black_hole_.acked(acked, s.time, tally_);
    high_end_ = std::max(high_end_, acked); // includes bytes that are not in the capture
    sent_.acknowledged(acked, [&](const SentLog::Sent &e) {
        // Bytes that were sent again may have arrived in smaller packets, and so do those that are in the
        // capture before segmentation offload.
        const std::uint32_t full = figures().full_segment.value_or(e.length);
        if (e.repeats == 0)
            figures().largest_acked_segment =
                std::max(figures().largest_acked_segment, std::min(e.length, full));
        if (overtaken_behind_tap(e, before) && troubles().overtaken_behind_tap++ == 0)
            troubles().first_overtaken_behind_tap = e.frame;
    });
    undecided_.acked(s, acked, sack_permitted && figures().sack_offered);
}

} // namespace iscsiscope
