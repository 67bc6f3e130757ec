// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/inference/sender_view.h"

#include <algorithm>

namespace iscsiscope {

std::uint32_t SenderView::mss(const Connection &c, Side sender) {
    return size_.value(c, sender).value_or(default_mss);
}

// Most data segments only repeat the acknowledgment and window of the one before.
bool SenderView::repeats_last(const SegmentReport &report) const {
    const Segment &s = *report.segment;
    return !report.ack_advanced && s.window == last_window_ && s.options.sack_count == 0 &&
           board_.ranges().empty() && (s.flags & tcp_syn) == 0 && !acks_.empty();
}

void SenderView::acknowledged(const Connection &c, Side sender, const SegmentReport &report) {
    const Segment &s = *report.segment;
    if ((s.flags & tcp_ack) == 0 || (s.flags & tcp_rst) != 0 || report.continues_run)
        return;
    if (short_ways_ == ShortWays::taken && repeats_last(report)) {
        acks_.repeated(s.options.timestamp_value);
        return;
    }
    last_window_ = s.window;
    const ConnectionEnd &receiver = c.end(other(sender));
    const std::uint32_t size = mss(c, sender);
    AckState a;
    a.time = s.time;
    a.first_timestamp = a.last_timestamp = s.options.timestamp_value;
    a.acknowledged = c.end(sender).acked_offset;
    a.pure = s.payload_length == 0;
    counter_.extend(a.acknowledged, size); // counts data that is not in the capture
    counter_.forget_below(a.acknowledged);
    a.acknowledged_packets = counter_.at(a.acknowledged, size);
    if (s.options.sack_count > 0 || !board_.ranges().empty())
        note_sack(s, size, a);
    if (receiver.window_scale_known)
        a.window_edge = a.acknowledged + receiver.receive_window;
    else if ((s.flags & tcp_syn) == 0)
        a.window_field = s.window;
    acks_.add(a);
}

void SenderView::note_sack(const Segment &s, std::uint32_t size, AckState &a) {
    board_.acknowledged(a.acknowledged);
    for (std::size_t i = 0; i < s.options.sack_count && base_known_; ++i) {
        const auto begin = static_cast<std::int64_t>(a.acknowledged) +
                           static_cast<std::int32_t>(s.options.sack[i].left - base_ -
                                                     static_cast<std::uint32_t>(a.acknowledged));
        const std::uint32_t length = s.options.sack[i].right - s.options.sack[i].left;
        // A block below the ACK reports a duplicate (RFC 2883); one beyond all data seen is invalid.
        if (begin > static_cast<std::int64_t>(a.acknowledged) &&
            static_cast<std::uint64_t>(begin) + length <= counter_.highest())
            board_.add(static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(begin) + length);
    }
    const auto small = [](std::uint64_t n) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(n, 0xffffffff));
    };
    a.sacked_bytes = small(board_.bytes());
    a.sacked_packets = small(board_.packets(
        [&](const SackBoard::Range &r) { return counter_.at(r.end, size) - counter_.at(r.begin, size); }));
    if (board_.ranges().empty())
        return;
    const std::uint64_t highest = board_.ranges().back().end;
    a.sacked_span = small(highest - a.acknowledged);
    a.sacked_span_packets = small(counter_.at(highest, size) - a.acknowledged_packets);
}

// RFC 7323 section 4.3: TS.Recent is taken only from segments at or below Last.ACK.sent. When data of the
// other direction arrives, the ACKs behind it do not update TS.Recent until an ACK for that data has been
// sent. Thus the sender of the segments from the first with a new ACK number up to the next change of the
// echo may have known later ACKs than the one echoed.
bool SenderView::echo_may_be_stale(const Segment &s) {
    if ((s.flags & tcp_ack) == 0)
        return false; // the first SYN
    const bool moved = acked_any_ && static_cast<std::int32_t>(s.acknowledgment - last_ack_) > 0;
    stale_ = moved || (stale_ && s.options.timestamp_echo == last_echo_) || s.options.sack_count > 0;
    const bool first = !acked_any_;
    acked_any_ = true;
    if (moved || first)
        last_ack_ = s.acknowledgment;
    last_echo_ = s.options.timestamp_echo;
    return stale_;
}

// Handles a segment below the highest byte seen: a retransmission, or at a tap behind a loss or a reordering
// the first passage of these bytes.
void SenderView::resent(const SegmentReport &report, std::uint64_t end, std::uint32_t size) {
    const Segment &s = *report.segment;
    trip_.running = false; // Karn
    before_.holds = false;
    resent_.push_back({end, s.payload_length, (s.payload_length + size - 1) / size});
    const bool timed_out = timed_out_by(s.time);
    if (!report.repeats && !timed_out)
        return; // may only be reordered
    const bool oldest = acks_.empty() || report.offset <= acks_.latest().acknowledged;
    if (oldest && timed_out) {
        state_ = SenderState::loss;
        recovery_point_ = counter_.highest();
        envelope_.timed_out();
    } else if (state_ != SenderState::recovery && state_ != SenderState::loss && report.repeats) {
        state_ = SenderState::recovery;
        recovery_point_ = counter_.highest();
        envelope_.entered_recovery();
    }
}

void SenderView::follow_state(const AckState &k, const SegmentReport &report, bool opened) {
    const Segment &s = *report.segment;
    if (!any_sent_ && opened) {
        state_ = SenderState::slow_start;
        envelope_.opened();
    }
    if ((state_ == SenderState::recovery || state_ == SenderState::loss) &&
        k.acknowledged >= recovery_point_) {
        // After a timeout the window doubles (slow start); after recovery it is at ssthresh.
        state_ = state_ == SenderState::loss ? SenderState::slow_start : SenderState::avoidance;
        envelope_.left_recovery();
    }
    if (state_ == SenderState::idle_restart && k.acknowledged >= recovery_point_)
        state_ = SenderState::unknown;
    if (state_ != SenderState::recovery && state_ != SenderState::loss) {
        const std::uint64_t sent_before = report.offset;
        if (k.sacked_packets >= duplicate_threshold) {
            state_ = SenderState::recovery;
            recovery_point_ = sent_before;
            envelope_.entered_recovery();
        } else if ((s.flags & tcp_cwr) != 0) { // the window was cut for a CE mark (RFC 3168 section 6.1.2)
            state_ = SenderState::recovery;
            recovery_point_ = sent_before;
            envelope_.entered_recovery();
        } else if (any_sent_ && timed_out_by(s.time) && k.acknowledged >= sent_before) {
            state_ = SenderState::idle_restart;
            recovery_point_ = sent_before + s.payload_length;
            envelope_.idled();
        }
    }
}

// Measures the full round trip at any tap as the sum of data → its ACK and that ACK → data it released.
void SenderView::measure_round_trip(const AckState &k, std::uint64_t end, Time now,
                                    CompactOptional<Duration> tap_rtt) {
    if (tap_rtt && (!trip_.tap_rtt || *tap_rtt < *trip_.tap_rtt))
        trip_.tap_rtt = tap_rtt;
    if (trip_.running && k.acknowledged >= trip_.end) {
        std::optional<Duration> rest = trip_.tap_rtt;
        if (const TapRtt::Estimate *e = rest ? nullptr : tap_rtt_.now(now))
            rest = e->likely;
        if (rest && k.time >= trip_.begin)
            trip_.latest = k.time - trip_.begin + *rest;
        trip_.running = false;
        envelope_.round_trip_passed();
    }
    if (!trip_.running && state_ != SenderState::recovery && state_ != SenderState::loss)
        trip_ = {true, end, now, std::nullopt, trip_.latest};
}

} // namespace iscsiscope
