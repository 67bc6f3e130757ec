// SPDX-License-Identifier: GPL-2.0-or-later
// SenderView: makes the sample of a segment from the ACKs that its sender can have known.
#include "analyzer/tcp/inference/sender_view.h"

#include <algorithm>

namespace iscsiscope {
namespace {

std::uint64_t less(std::uint64_t a, std::uint64_t b) {
    return a > b ? a - b : 0;
}

// Returns the window as on the wire; 0 if its scale is known.
std::uint16_t field(const AckSeen &a) {
    return a.scaled ? std::uint16_t{0} : static_cast<std::uint16_t>(a.window);
}

} // namespace

SenderView::Pipe SenderView::pipe(const KnownRange::Known &k, std::uint64_t end) {
    const std::uint64_t sent = track_.sent_log().packets();
    while (!resent_.empty() && resent_.front().end <= k.least->acked)
        resent_.pop_front();
    std::uint64_t again = 0, again_bytes = 0;
    for (std::size_t i = 0; i < resent_.size(); ++i) {
        if (resent_[i].end > k.likely->acked) {
            again += resent_[i].packets;
            again_bytes += resent_[i].bytes;
        }
    }
    // Once a loss is known, all holes below the highest SACKed byte count as lost.
    const auto is_lost = [](const AckSeen &a) { return a.sacked_packets >= duplicate_threshold; };
    const auto min_packets = [&](const AckSeen &a) {
        return less(sent, is_lost(a) ? a.highest_packets() : a.delivered());
    };
    const AckSeen &first = *k.least, &likely = *k.likely, &last = *k.most;
    Pipe p;
    p.packets = min_packets(likely);
    p.low = min_packets(last);
    p.high = less(sent, first.delivered()) + again;
    p.bytes_low = less(end, is_lost(last) ? last.highest() : last.acked + last.sacked_bytes);
    p.bytes_high = less(end, first.acked + first.sacked_bytes) + again_bytes;
    p.bytes = less(end, is_lost(likely) ? likely.highest() : likely.acked + likely.sacked_bytes);
    p.bytes = std::min(p.bytes + (is_lost(likely) ? again_bytes : 0), p.bytes_high);
    return p;
}

// Fills in the sample's receive window. Returns whether the segment used it up.
bool SenderView::note_receive_window(const KnownRange::Known &k, std::uint64_t end, std::uint32_t size,
                                     TcpSample &sample) {
    sample.receive_window_inferred = false;
    if (k.likely->announced_edge() != 0) {
        sample.receive_window = k.likely->window;
        // The first ACK of a timestamp tick may have been the one whose window stopped the sender.
        const AckSeen &known = k.by_echo && k.least->announced_edge() != 0 ? *k.least : *k.likely;
        return known.announced_edge() < end + 2 * std::uint64_t{size};
    }
    sample.receive_window.reset();
    if (k.most->acked > 0)
        scale_.reached(less(end, k.most->acked), field(*k.most));
    const auto scale = scale_.learnt();
    if (!scale || field(*k.likely) == 0)
        return false;
    sample.receive_window = std::uint64_t{field(*k.likely)} << *scale;
    sample.receive_window_inferred = true;
    return scale_.settled() && k.likely->acked + *sample.receive_window < end + size;
}

// Takes the segment into the tap-side round trip and the round trip, by the last ACK that its sender knew.
void SenderView::note_tap_rtts(const SegmentReport &report, const AckSeen &k, bool stamped, bool stale) {
    const Time now = report.segment->time;
    // With other data in flight the segment was usually released by that ACK.
    CompactOptional<Duration> tap_rtt;
    if (stamped && k.known() && k.acked < report.offset && now >= k.since)
        tap_rtt = now - k.since;
    if (tap_rtt && !stale)
        known_.tap_rtt().at_most(*tap_rtt);
    if (before_.pipe.packets <= 2)
        known_.tap_rtt().begins_anew();
    if (any_sent_ && last_sent_)
        known_.tap_rtt().sent_after(now - *last_sent_);
    if (trip_.ended(k, now, tap_rtt, known_.tap_rtt()))
        envelope_.round_trip_passed();
    if (state_ != SenderState::recovery && state_ != SenderState::loss)
        trip_.begins(report.offset + report.segment->payload_length, now);
}

// Returns whether the segment continues the one of the last sample with the same ACKs known.
bool SenderView::follows(const KnownRange::Known &k, const SegmentReport &report, std::uint64_t sent_to,
                         std::optional<std::uint32_t> full) const {
    return before_.holds && report.continues_run && k.likely->state == before_.likely &&
           k.most->state == before_.most && k.least->state == before_.least && report.offset == before_.end &&
           sent_to == before_.end && full == before_.full && !timed_out_by(report.segment->time);
}

// Computes the sender's state and its pipe from the known ACKs.
void SenderView::recompute(const KnownRange::Known &k, const Connection &c, const SegmentReport &report,
                           std::optional<std::uint32_t> full) {
    follow_state(*k.likely, report, c.starts_with_syn);
    const Pipe p = pipe(k, report.offset + report.segment->payload_length);
    // With the same ACKs known and without repeats in flight, further bytes change only the pipe.
    const bool even = state_ == SenderState::unknown || state_ == SenderState::slow_start ||
                      state_ == SenderState::avoidance;
    before_.holds = even && resent_.empty() && p.packets > 0 && p.low > 0 && p.high > 0 && p.bytes > 0 &&
                    p.bytes_low > 0 && p.bytes_high > 0;
    before_.least = k.least->state;
    before_.likely = k.likely->state;
    before_.most = k.most->state;
    before_.full = full;
    before_.pipe = p;
}

// Fills the sample of a segment from the ACKs that its sender can have known.
void SenderView::fill_sample(const Connection &c, const SegmentReport &report, bool stale,
                             std::uint64_t sent_to, std::optional<std::uint32_t> full, TcpSample &sample) {
    const Segment &s = *report.segment;
    const std::uint32_t size = track_.segment();
    const std::uint64_t end = report.offset + s.payload_length;
    KnownRange::Known k = known_.at(c, report, stale, trip_.latest());
    sample.anchor = k.anchor;
    for (const AckSeen **a : {&k.least, &k.likely, &k.most})
        *a = *a != nullptr ? *a : &AckedLog::nothing;
    const bool more = follows(k, report, sent_to, full);
    Pipe &p = before_.pipe;
    if (more) {
        const std::uint64_t packets = track_.sent_log().packets() - before_.packets;
        p.packets += packets;
        p.low += packets;
        p.high += packets;
        p.bytes += s.payload_length;
        p.bytes_low += s.payload_length;
        p.bytes_high += s.payload_length;
    } else {
        recompute(k, c, report, full);
    }
    before_.packets = track_.sent_log().packets();
    before_.end = end;

    // True if the capture shows the ACKs and no data older than its start is in flight.
    const bool receiver_seen = c.end(other(report.side)).seen;
    const bool whole = receiver_seen && (c.starts_with_syn || k.likely->acked > 0);
    sample.flight.reset();
    sample.flight_low = receiver_seen ? p.bytes_low : 0;
    sample.flight_high = p.bytes_high;
    if (whole && state_ != SenderState::loss)
        sample.flight = p.bytes;
    const bool window_full = note_receive_window(k, end, size, sample);
    if (whole) {
        const bool stamped = sample.anchor == Anchor::timestamp;
        envelope_.send({.time = s.time,
                        .pipe = p.packets,
                        .pipe_low = p.low,
                        .pipe_high = p.high,
                        .delivered = k.likely->delivered(),
                        .pure_release = k.likely->pure,
                        .window_full = window_full,
                        .full = s.payload_length == size || s.payload_length % size == 0,
                        .sure = k.sure,
                        .by_time = !stamped || stale,
                        .queued = k.queued},
                       trip_.latest());
        note_tap_rtts(report, *k.likely, stamped, stale);
    }
    if (const auto trip = whole_trip_.follow(c))
        whole_latest_ = trip;
    conclude(window_full, size, sample);
}

// Fills in the sample's limit, congestion window, state and round trip.
void SenderView::conclude(bool window_full, std::uint32_t size, TcpSample &sample) {
    const auto window = envelope_.window();
    sample.limit = SendLimit::unknown;
    if (state_ == SenderState::loss)
        sample.limit = SendLimit::unknown;
    else if (window_full)
        sample.limit = SendLimit::receive_window;
    else if (envelope_.paced())
        sample.limit = SendLimit::pacing;
    else if (window || state_ == SenderState::recovery)
        sample.limit = SendLimit::cwnd;
    else if (envelope_.plateau())
        sample.limit = SendLimit::send_buffer;
    else if (envelope_.enough_seen() && !envelope_.in_doubt())
        sample.limit = SendLimit::application;
    sample.cwnd.reset();
    if (window) {
        if (state_ == SenderState::idle_restart || state_ == SenderState::unknown)
            state_ = SenderState::avoidance;
        if (state_ == SenderState::slow_start || state_ == SenderState::avoidance)
            state_ = envelope_.growing_fast() ? SenderState::slow_start : SenderState::avoidance;
        sample.cwnd = *window * size;
    }
    sample.state = state_;
    sample.cwnd_low = envelope_.low() * size;
    sample.cwnd_high.reset();
    if (const auto high = envelope_.high())
        sample.cwnd_high = *high * size;
    sample.rtt = whole_latest_;
    sample.answered_after = trip_.latest();
}

bool SenderView::sent(const Connection &c, const SegmentReport &report, std::uint64_t sent_to,
                      TcpSample &sample) {
    const Segment &s = *report.segment;
    if (!report.continues_run)
        echo_.sent(s);
    if (s.payload_length == 0 || report.probe || report.before_start)
        return false;
    const std::optional<std::uint32_t> full = track_.full_segment();
    const std::uint64_t end = report.offset + s.payload_length;
    if (end <= sent_to) {
        resent(report, end, track_.segment());
        last_sent_ = s.time;
        return false;
    }
    sample.sender = report.side;
    sample.frame = s.frame;
    sample.time = s.time;
    sample.end_offset = end;
    sample.mss = full;
    sample.flight_at_tap = less(end, c.end(report.side).acked_offset);
    fill_sample(c, report, (s.flags & tcp_ack) != 0 && echo_.stale(), sent_to, full, sample);
    any_sent_ = true;
    last_sent_ = s.time;
    return true;
}

} // namespace iscsiscope
