// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/diagnosis/receiver_answers.h"

#include <algorithm>

namespace iscsiscope {
namespace {

ReceiverWatch::Offer offer(const Direction &d, const Connection &c, const Segment &s) {
    return {d.sender(c).acked_offset, d.track.sent_log().end(), d.figures().full_segment, s.window};
}

// True if the window is unchanged and not zero, and its scale is unknown.
bool window_brings_no_news(const Direction &d, const Connection &c, const SegmentReport &r) {
    return r.continues_run && r.segment->window != 0 && !d.receiver(c).window_scale_known;
}

void note_sack(Direction &d, const Segment &s, const AckSeen &a, SenderRepeats &repeats) {
    const auto offset_of = [&](std::uint32_t sequence) {
        return d.track.offset_of(sequence, a.acked).value_or(-1); // before the first data none is known
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
        if (twice)
            repeats.duplicate_received(d, from, to, s.frame);
        else if (from > a.acked)
            d.track.add_sacked(from, to);
    }
}

// True for a segment that is acknowledged now, had no repeat, and lies below bytes that the receiver SACKed
// before.
bool overtaken_behind_tap(const SackBoard &board, const SentLog::Sent &e, const AckSeen &before) {
    if (e.repeats != 0 || e.late != 0 || e.end() > before.highest() || e.begin < before.acked)
        return false;
    const auto &ranges = board.ranges();
    return ranges.size() < SackBoard::max_ranges &&
           std::none_of(ranges.begin(), ranges.end(),
                        [&](const SackBoard::Range &r) { return r.begin < e.end() && r.end > e.begin; });
}

void note_acked(Direction &d, std::uint64_t acked, const AckSeen &before) {
    d.track.sent_log().acknowledged(
        acked,
        [&](const SentLog::Sent &e) {
            TcpDirectionCounts &figures = d.figures();
            // Bytes that were sent again may have arrived in smaller packets, and so do those that are in the
            // capture before segmentation offload.
            const std::uint32_t full = figures.full_segment.value_or(e.length);
            if (e.repeats == 0)
                figures.largest_acked_segment =
                    std::max(figures.largest_acked_segment, std::min(e.length, full));
            if (overtaken_behind_tap(d.track.board(), e, before) &&
                d.tally.troubles().overtaken_behind_tap++ == 0)
                d.tally.troubles().first_overtaken_behind_tap = e.frame;
        });
}

} // namespace

// Most data segments only repeat the acknowledgment and window of the one before.
bool ReceiverAnswers::repeats_last(const Direction &d, const Connection &c, const SegmentReport &r,
                                   const SenderRepeats &repeats) const {
    const Segment &s = *r.segment;
    return s.payload_length != 0 && !r.ack_advanced && s.options.sack_count == 0 &&
           (s.flags & tcp_syn) == 0 && !repeats.undecided() &&
           (offer(d, c, s) == receiver_.last_offer() || window_brings_no_news(d, c, r));
}

void ReceiverAnswers::answered(Direction &d, const Connection &c, const SegmentReport &r,
                               SenderRepeats &repeats, DirectionSink &out) {
    SenderTrack &track = d.track;
    if (const ReceiverWatch::Offer &last = receiver_.last_offer();
        r.continues_run && !repeats.undecided() && last.sent_to == track.sent_log().end() &&
        last.full_segment == d.figures().full_segment)
        return; // the acknowledgment is the same, and its peer has sent nothing
    const Segment &s = *r.segment;
    if ((s.flags & tcp_ack) == 0 || (s.flags & tcp_rst) != 0)
        return;
    if (short_ways_ == ShortWays::taken && repeats_last(d, c, r, repeats)) {
        track.repeated(s);
        return;
    }
    const ReceiverWatch::Offer offered = offer(d, c, s);
    const bool first = track.acks().empty();
    const AckSeen &before = first ? AckedLog::nothing : track.acks().latest();
    AckSeen a = track.answer(c, s);
    if ((s.flags & tcp_syn) == 0) {
        receiver_.window(s, d.receiver(c), offered, track.sent_log().last().has_value(), a, d.tally);
        note_sack(d, s, a, repeats);
    }
    if (s.payload_length == 0)
        ++d.figures().pure_acks;
    if (r.ack_advanced) {
        note_delay(d, c, r, a);
        note_acked(d, a.acked, before);
        repeats.acked(d, s, a.acked, d.receiver(c).sack_permitted && d.figures().sack_offered);
    }
    track.sum_sacked(a);
    if (!r.ack_advanced && s.payload_length == 0 && (s.flags & (tcp_syn | tcp_fin)) == 0 &&
        track.sent_log().end() > a.acked && track.sent_log().last() && !first && !r.probe &&
        (a.edge() == before.edge() || a.highest() > before.highest())) {
        ++d.figures().duplicate_acks;
        ++a.duplicates;
    }
    repeats.answered(d, a);
    track.take(a);
    if (repeats.undecided())
        repeats.settle(d, c, s.time, false, out);
}

// Measures how long the receiver delayed the ACK of the last segment, if no later segment can have caused it.
void ReceiverAnswers::note_delay(Direction &d, const Connection &c, const SegmentReport &r, AckSeen &a) {
    const SentLog &sent = d.track.sent_log();
    if (r.segment->payload_length != 0 || a.acked != sent.end() || !sent.last())
        return;
    const SentLog::Sent *last = d.track.sent_log().holding(a.acked - 1);
    if (last == nullptr || last->repeats != 0 || last->end() != a.acked)
        return;
    if (const std::optional<Duration> tap_rtt = d.receiver(c).rtt.min_now())
        receiver_.held(a, *last, *tap_rtt, d.tally);
}

} // namespace iscsiscope
