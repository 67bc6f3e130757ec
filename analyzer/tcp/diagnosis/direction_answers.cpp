// SPDX-License-Identifier: GPL-2.0-or-later
// DirectionDiagnosis: what the receiver does: acknowledgments and their delay, window, SACK and DSACK.
#include "analyzer/tcp/diagnosis/direction_diagnosis.h"

#include <algorithm>

namespace iscsiscope {
namespace {

using namespace std::chrono_literals;

// Bounds of a delayed ACK (docs/figures.md, "Idle gap": delayed_ack).
constexpr Duration least_hold = 20ms, longest_hold = 500ms;

} // namespace

DirectionDiagnosis::Offer DirectionDiagnosis::offer(const Connection &c, const Segment &s) const {
    return {c.end(sender_).acked_offset, high_end_, figures_.full_segment, s.window};
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
           (offer(c, s) == last_offer_ || window_brings_no_news(c, r));
}

void DirectionDiagnosis::answered(const Connection &c, const SegmentReport &r, DirectionSink &out) {
    if (r.continues_run && undecided_.empty() && last_offer_.high_end == high_end_ &&
        last_offer_.full_segment == figures_.full_segment)
        return; // the acknowledgment is the same, and its peer has sent nothing
    const Segment &s = *r.segment;
    if ((s.flags & tcp_ack) == 0 || (s.flags & tcp_rst) != 0)
        return;
    if (short_ways_ == ShortWays::taken && repeats_last_answer(c, r))
        return;
    const AckSeen before = acks_.empty() ? AckSeen{} : acks_.latest();
    AckSeen a;
    a.time = s.time;
    a.frame = s.frame;
    a.timestamp = s.options.timestamp_value;
    a.acked = c.end(sender_).acked_offset;
    a.edge = before.edge;
    a.sack_top = std::max(before.sack_top, a.acked);
    const bool advanced = a.acked > before.acked;
    a.duplicates = advanced ? 0 : before.duplicates;
    if ((s.flags & tcp_syn) == 0) {
        note_window(c, r, a);
        if (base_known_ && s.options.sack_count > 0)
            note_sack(s, a.acked, a);
    }
    if (s.payload_length == 0)
        ++figures_.pure_acks;
    if (r.ack_advanced) {
        note_delay(c, r, a);
        note_acked(s, a.acked, before, c.end(other(sender_)).sack_permitted);
        board_.acknowledged(a.acked);
    } else if (s.payload_length == 0 && (s.flags & (tcp_syn | tcp_fin)) == 0 && high_end_ > a.acked &&
               any_sent_ && !acks_.empty() && !r.probe &&
               (a.edge == before.edge || a.sack_top > before.sack_top)) {
        ++figures_.duplicate_acks;
        ++a.duplicates;
    }
    for (Undecided &u : undecided_)
        u.loss_shown = u.loss_shown || hole_reported(a, u.record.offset, u.end);
    if (acks_.empty() || advanced || a.edge != before.edge || a.sack_top != before.sack_top ||
        a.duplicates != before.duplicates)
        acks_.add(a);
    if (!undecided_.empty())
        settle(c, s.time, false, out);
}

void DirectionDiagnosis::note_window(const Connection &c, const SegmentReport &r, AckSeen &a) {
    const Segment &s = *r.segment;
    const ConnectionEnd &receiver = c.end(other(sender_));
    if (s.window == 0) {
        if (!zero_since_)
            zero_since_ = s.time;
    } else if (zero_since_) {
        troubles().zero_window.add(std::max(Duration{}, s.time - *zero_since_), s.frame);
        zero_since_.reset();
    }
    figures_.largest_window = std::max(figures_.largest_window.value_or(0), receiver.receive_window);
    if (receiver.receive_window > 0)
        figures_.smallest_window =
            std::min(figures_.smallest_window.value_or(receiver.receive_window), receiver.receive_window);
    // An inferred scale is a lower bound: no window counts as full by it. Zero does not depend on the scale.
    if (!receiver.window_scale_known && s.window != 0) {
        a.edge = 0;
        return;
    }
    const std::uint64_t edge = a.acked + receiver.receive_window;
    // Senders ignore a right edge that moves back (RFC 9293 section 3.8.6).
    a.edge = std::max(a.edge, edge);
    const std::uint32_t full = std::max(figures_.full_segment, 1U);
    const bool room = a.edge >= high_end_ + full;
    if (room && full_since_) {
        troubles().window_full.add(std::max(Duration{}, s.time - *full_since_), s.frame);
        full_since_.reset();
    } else if (!room && !full_since_ && any_sent_ && figures_.full_segment != 0) {
        full_since_ = s.time;
        if (receiver.receive_window > 0) {
            if (troubles().full_windows.count == 0)
                troubles().first_full_window = receiver.receive_window;
            troubles().full_windows.add(static_cast<double>(receiver.receive_window));
        }
    }
    last_offer_ = {a.acked, high_end_, figures_.full_segment, s.window};
}

// Measures how long the receiver delayed the ACK of the last segment, if no later segment can have caused it:
// the time beyond the ACKs that it sent at once of late.
void DirectionDiagnosis::note_delay(const Connection &c, const SegmentReport &r, AckSeen &a) {
    if (r.segment->payload_length != 0 || a.acked != high_end_ || !any_sent_)
        return;
    const SentLog::Sent *last = sent_.holding(a.acked - 1);
    if (last == nullptr || last->repeats != 0 || last->end() != a.acked)
        return;
    const std::optional<Duration> loop = c.end(other(sender_)).rtt.least_now();
    if (!loop)
        return;
    const Duration reaction = std::max(Duration{}, a.time - last->first - *loop);
    std::size_t bin = 0;
    while (bin < ack_delay_edges_ms.size() && reaction >= std::chrono::milliseconds{ack_delay_edges_ms[bin]})
        ++bin;
    ++figures_.ack_delays[bin];
    const Duration usual = usual_reaction_.value_or(Duration{});
    if (reaction > std::max<Duration>(least_hold, 2 * usual) && reaction <= longest_hold) {
        a.held = true;
        a.held_data = last->frame;
        troubles().delayed_acks.add(reaction, a.frame);
    } else {
        usual_reaction_ = usual + (reaction - usual) / 8;
    }
}

void DirectionDiagnosis::note_sack(const Segment &s, std::uint64_t acked, AckSeen &a) {
    const auto offset_of = [&](std::uint32_t sequence) {
        return static_cast<std::int64_t>(acked) +
               static_cast<std::int32_t>(sequence - base_ - static_cast<std::uint32_t>(acked));
    };
    for (std::size_t i = 0; i < s.options.sack_count; ++i) {
        const std::int64_t left = offset_of(s.options.sack[i].left),
                           right = offset_of(s.options.sack[i].right);
        if (left < 0 || right <= left)
            continue;
        const auto from = static_cast<std::uint64_t>(left), to = static_cast<std::uint64_t>(right);
        // RFC 2883: the first block reports duplicates if it lies below the ACK or inside the second one.
        bool twice = i == 0 && to <= acked;
        if (i == 0 && !twice && s.options.sack_count > 1) {
            const std::int64_t l2 = offset_of(s.options.sack[1].left),
                               r2 = offset_of(s.options.sack[1].right);
            twice = left >= l2 && right <= r2;
        }
        if (twice) {
            duplicate_received(from, to, s.frame);
        } else if (from > acked && to <= high_end_) {
            board_.add(from, to);
            a.sack_top = std::max(a.sack_top, to);
        }
    }
}

void DirectionDiagnosis::duplicate_received(std::uint64_t from, std::uint64_t to, FrameNumber frame) {
    for (Undecided &u : undecided_) {
        if (u.record.offset < to && u.end > from && !u.duplicate_reported) {
            u.duplicate_reported = true;
            u.record.kind = RetransmissionClass::spurious;
            u.record.place = LossPlace::none;
            u.record.signal_frame = frame;
            return;
        }
    }
    if (troubles().duplicates_received++ == 0)
        troubles().first_duplicate = frame;
}

// True for a segment that is acknowledged now, had no repeat, and lies below bytes that the receiver SACKed
// before.
bool DirectionDiagnosis::overtaken_behind_tap(const SentLog::Sent &e, const AckSeen &before) const {
    if (e.repeats != 0 || e.late != 0 || e.end() > before.sack_top || e.begin < before.acked)
        return false;
    const auto &ranges = board_.ranges();
    return ranges.size() < SackBoard::most_ranges &&
           std::none_of(ranges.begin(), ranges.end(),
                        [&](const SackBoard::Range &r) { return r.begin < e.end() && r.end > e.begin; });
}

void DirectionDiagnosis::note_acked(const Segment &s, std::uint64_t acked, const AckSeen &before,
                                    bool sack_permitted) {
    acked_at_ = s.time;
    note_shortened(acked);
    high_end_ = std::max(high_end_, acked); // includes bytes that are not in the capture
    sent_.acknowledged(acked, [&](const SentLog::Sent &e) {
        // Bytes that were sent again may have arrived in smaller packets, and so do those that are in the
        // capture before segmentation offload.
        const std::uint32_t full = figures_.full_segment != 0 ? figures_.full_segment : e.length;
        if (e.repeats == 0)
            figures_.largest_acked_segment =
                std::max(figures_.largest_acked_segment, std::min(e.length, full));
        if (overtaken_behind_tap(e, before) && troubles().overtaken_behind_tap++ == 0)
            troubles().first_overtaken_behind_tap = e.frame;
    });
    for (Undecided &u : undecided_) {
        if (u.acked_at || acked < u.end)
            continue;
        u.acked_at = s.time;
        // The answer to the repeat itself would report it as a duplicate (RFC 2883).
        if (s.payload_length == 0 && s.options.sack_count == 0 && s.options.has_timestamps &&
            s.options.timestamp_echo == u.timestamp && sack_permitted && figures_.sack_offered)
            u.loss_shown = true;
        if (u.maybe_probe)
            after_repeat_ = {u.record.frame, 0, 0};
        // RFC 3522: the echo shows that the ACK answers a segment sent before the repeat.
        if (u.echo_conclusive && s.options.has_timestamps &&
            static_cast<std::int32_t>(s.options.timestamp_echo - u.timestamp) < 0 &&
            u.record.kind != RetransmissionClass::spurious) {
            u.record.kind = RetransmissionClass::spurious;
            u.record.place = LossPlace::none;
            u.record.signal_frame = s.frame;
        }
    }
}

} // namespace iscsiscope
