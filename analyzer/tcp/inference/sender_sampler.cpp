// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/inference/sender_sampler.h"

#include "analyzer/tcp/track/sender_times.h"

#include <algorithm>

namespace iscsiscope {
namespace {

// Returns the window as on the wire; 0 if its scale is known.
std::uint16_t field(const AckSeen &a) {
    return a.scaled ? std::uint16_t{0} : static_cast<std::uint16_t>(a.window);
}

// True if the sender was silent for a retransmission timeout before this time; false before its first
// segment.
bool timed_out(const SenderSampler::Before &before, Time now) {
    return before.last && now - *before.last >= min_timeout;
}

} // namespace

// Fills in the sample's receive window. Returns whether the segment used it up.
bool SenderSampler::note_receive_window(const KnownRange::Known &k, std::uint64_t end, std::uint32_t size,
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
        scale_.reached(end - std::min(end, k.most->acked), field(*k.most));
    const auto scale = scale_.learnt();
    if (!scale || field(*k.likely) == 0)
        return false;
    sample.receive_window = std::uint64_t{field(*k.likely)} << *scale;
    sample.receive_window_inferred = true;
    return scale_.settled() && k.likely->acked + *sample.receive_window < end + size;
}

// Takes the segment into the tap-side round trip and the round trip, by the last ACK that its sender knew.
void SenderSampler::note_tap_rtts(const SegmentReport &report, const Before &before, const AckSeen &k,
                                  bool stamped, bool stale) {
    const Time now = report.segment->time;
    // With other data in flight the segment was usually released by that ACK.
    CompactOptional<Duration> tap_rtt;
    if (stamped && k.known() && k.acked < report.offset && now >= k.since)
        tap_rtt = now - k.since;
    if (tap_rtt && !stale)
        known_.tap_rtt().at_most(*tap_rtt);
    if (pipe_.last().packets <= 2)
        known_.tap_rtt().begins_anew();
    if (before.last)
        known_.tap_rtt().sent_after(now - *before.last);
    if (trip_.ended(k.acked, k.since, now, tap_rtt, known_.tap_rtt()))
        envelope_.round_trip_passed();
    if (!state_.repairing())
        trip_.begins(report.offset + report.segment->payload_length, now);
}

// Returns the ACKs that the sender can have known; of those that it cannot, AckedLog::nothing.
KnownRange::Known SenderSampler::known_at(const Connection &c, const SegmentReport &report, bool stale) {
    KnownRange::Known k = known_.at(c, report, stale, trip_.latest());
    for (const AckSeen **a : {&k.least, &k.likely, &k.most})
        *a = *a != nullptr ? *a : &AckedLog::nothing;
    return k;
}

// Fills the sample of a segment from the ACKs that its sender can have known.
void SenderSampler::fill(const Connection &c, const SegmentReport &report, const Before &before,
                         TcpSample &sample) {
    const Segment &s = *report.segment;
    const SentLog &sent = track_.sent_log();
    const std::uint32_t size = track_.segment();
    const std::uint64_t end = sent.end();
    const bool stale = (s.flags & tcp_ack) != 0 && echo_.stale();
    const KnownRange::Known k = known_at(c, report, stale);
    sample.anchor = k.anchor;
    const bool pause = timed_out(before, s.time);
    const bool more = !pause && pipe_.follows(k, report, before.sent_to, sample.mss);
    if (!more)
        state_.knew(*k.likely, {report, before.sent_to, pause, !pipe_.any()}, c.starts_with_syn, envelope_);
    const SenderPipe::Pipe &p =
        more ? pipe_.add(report, sent) : pipe_.compute(k, report, sent, sample.mss, state_.calm());

    // True if the capture shows the ACKs and no data older than its start is in flight.
    const bool receiver_seen = c.end(other(report.side)).seen;
    const bool whole = receiver_seen && (c.starts_with_syn || k.likely->acked > 0);
    sample.flight.reset();
    sample.flight_low = receiver_seen ? p.bytes_low : 0;
    sample.flight_high = p.bytes_high;
    if (whole && state_.now() != SenderState::loss)
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
        note_tap_rtts(report, before, *k.likely, stamped, stale);
    }
    if (whole_.latest() != whole_seen_) {
        whole_seen_ = whole_.latest();
        whole_latest_ = WholeTrip::length(c.ends[0].rtt, c.ends[1].rtt);
    }
    conclude(window_full, size, sample);
}

// Fills in the sample's limit, congestion window, state and round trip.
void SenderSampler::conclude(bool window_full, std::uint32_t size, TcpSample &sample) {
    const auto window = envelope_.window();
    sample.limit = SendLimit::unknown;
    if (state_.now() == SenderState::loss)
        sample.limit = SendLimit::unknown;
    else if (window_full)
        sample.limit = SendLimit::receive_window;
    else if (envelope_.paced())
        sample.limit = SendLimit::pacing;
    else if (window || state_.now() == SenderState::recovery)
        sample.limit = SendLimit::cwnd;
    else if (envelope_.plateau())
        sample.limit = SendLimit::send_buffer;
    else if (envelope_.enough_seen() && !envelope_.in_doubt())
        sample.limit = SendLimit::application;
    sample.cwnd.reset();
    if (window) {
        state_.window_known(envelope_.growing_fast());
        sample.cwnd = *window * size;
    }
    sample.state = state_.now();
    sample.cwnd_low = envelope_.low() * size;
    sample.cwnd_high.reset();
    if (const auto high = envelope_.high())
        sample.cwnd_high = *high * size;
    sample.rtt = whole_latest_;
    sample.answered_after = trip_.latest();
}

bool SenderSampler::sent(const Connection &c, const SegmentReport &report, const Before &before,
                         TcpSample &sample) {
    const Segment &s = *report.segment;
    const std::uint64_t end = report.offset + s.payload_length;
    if (end <= before.sent_to) {
        trip_.resent();
        pipe_.resent(end, s.payload_length, track_.segment());
        const bool oldest = track_.acks().empty() || report.offset <= track_.acks().latest().acked;
        state_.resent({report, before.sent_to, timed_out(before, s.time)}, oldest, envelope_);
        return false;
    }
    sample.sender = report.side;
    sample.frame = s.frame;
    sample.time = s.time;
    sample.end_offset = end;
    sample.mss = track_.full_segment();
    sample.flight_at_tap = end - std::min(end, c.end(report.side).acked_offset);
    fill(c, report, before, sample);
    return true;
}

} // namespace iscsiscope
