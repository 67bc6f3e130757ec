// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/diagnosis/sender.h"

#include "analyzer/tcp/quantiles.h"

#include <algorithm>

namespace iscsiscope {
namespace {

// Segments that follow each other within this time have no gap between them that is worth a diagnosis.
constexpr Duration no_wait = std::chrono::microseconds(20);

// Returns the bytes that a sender may send into a path of which it knows nothing (RFC 6928 section 2).
std::uint64_t initial_window(std::optional<std::uint64_t> mss) {
    return mss ? std::min<std::uint64_t>(10 * *mss, std::max<std::uint64_t>(2 * *mss, 14600)) : 14600;
}

void note_syn(TcpDirectionCounts &figures, const Segment &s) {
    if (figures.syn_seen)
        return;
    figures.syn_seen = true;
    if (s.options.has_mss)
        figures.mss_offered = s.options.mss;
    if (s.options.has_window_scale)
        figures.window_scale_offered = s.options.window_scale;
    figures.sack_offered = s.options.sack_permitted;
    // RFC 3168 section 6.1.1: a SYN offers with ECE and CWR, the answer accepts with ECE alone.
    const bool answer = (s.flags & tcp_ack) != 0, cwr = (s.flags & tcp_cwr) != 0;
    figures.ecn = (s.flags & tcp_ece) != 0 && cwr != answer;
}

// Takes what the segment says below and beside its data.
void note_header(Direction &d, const Segment &s) {
    if ((s.flags & tcp_syn) != 0)
        note_syn(d.figures(), s);
    if ((s.flags & (tcp_rst | tcp_fin)) != 0)
        d.tally.ended(s);
    if ((s.flags & tcp_rst) == 0)
        d.figures().face.note(s);
}

TcpQuantiles quantiles(const EndTapRtt &r, const ConnectionEnd &end) {
    TcpQuantiles q = quantiles_of(r.samples());
    q.minimum = end.rtt.minimum; // answers and echoes may have lowered it further than the samples
    return q;
}

template <class T>
T &made(std::unique_ptr<T> &p) {
    if (!p)
        p = std::make_unique<T>();
    return *p;
}

} // namespace

// The sender of this segment knew the ACKs that had passed a usual round trip before it.
void Sender::note_known(const Connection &c, const Segment &s) {
    const Duration tap_rtt = direction_.times.to_sender(c);
    direction_.track.known().sent(s, tap_rtt + direction_.times.lateness(tap_rtt));
}

// Returns whether the segment only adds bytes: it follows without a gap, and no decision depends on it.
bool Sender::only_adds(const SegmentReport &r) const {
    const SentLog &sent = direction_.track.sent_log();
    return r.continues_run && sent.last() && r.offset == sent.end() &&
           r.segment->time - *sent.last() <= no_wait && !repeats_.counts_new_data();
}

// The fast path for segments that continue a run, nearly all of a bulk transfer.
void Sender::add(const Connection &c, const SegmentReport &r) {
    const Segment &s = *r.segment;
    SenderTrack &track = direction_.track;
    const KnownAcks &acks = direction_.acks();
    const std::uint64_t known_before = acks.number();
    if (!acks.empty())
        track.known().note_release(s);
    limits_.run_to(direction_, c, s.time, repeats_.loss());
    repeats_.adds(s);
    direction_.figures().full_segment = track.full_segment();
    wait_.sent(s);
    track.sent(r);
    if (acks.number() == known_before && (s.options.has_timestamps || acks.number() == acks.number_at_send()))
        return; // the sender knew the same ACK as before
    note_known(c, s);
    limits_.changed();
}

// Takes what the segment says, with data or without.
void Sender::take_header(const Connection &c, const Segment &s) {
    Direction &d = direction_;
    if (s.payload_length != 0 && !d.acks().empty())
        d.track.known().note_release(s);
    limits_.run_to(d, c, s.time, repeats_.loss());
    note_header(d, s);
    repeats_.passes(d, s);
}

// Takes the data of a segment: what they had waited for, whether they repeat others, and what they change.
void Sender::take_data(const Connection &c, const SegmentReport &r, DirectionSink &out) {
    const Segment &s = *r.segment;
    Direction &d = direction_;
    d.figures().ce_marks += s.ip_ecn == 3 ? 1 : 0;
    d.figures().window_cuts_signalled += (s.flags & tcp_cwr) != 0 ? 1 : 0;
    d.figures().full_segment = d.track.full_segment();
    const SentLog &log = d.track.sent_log();
    if (!log.last() && !c.starts_with_syn)
        d.track.begins_at(r.offset);
    if (r.offset < log.end() || !log.last() || s.time - *log.last() > no_wait)
        wait_.describe(d, c, r, {limits_.limit(), limits_.state(), repeats_.loss().repairing()});
    else
        wait_.none();
    repeats_.sent(d, c, r, wait_.circumstances(), out);
    wait_.sent(s);
    d.track.sent(r);
    note_known(c, s);
    limits_.changed();
    if (repeats_.undecided())
        repeats_.settle(d, c, s.time, false, out);
}

const SendCircumstances *Sender::sent(const Connection &c, const SegmentReport &r, DirectionSink &out) {
    const Segment &s = *r.segment;
    const SentLog &log = direction_.track.sent_log();
    const SenderSampler::Before before{log.end(), log.last()};
    const SendCircumstances *circumstances = nullptr;
    direction_.track.passes(c, r);
    sampler_.passes(r);
    if (only_adds(r)) {
        add(c, r);
    } else {
        take_header(c, s);
        if (s.payload_length == 0 || r.probe || r.before_start)
            return nullptr;
        take_data(c, r, out);
        circumstances = wait_.described();
    }
    TcpSample sample;
    if (sampler_.sent(c, r, before, sample)) {
        sampled(sample);
        out.sample(c, sample);
    }
    limits_.segment_done(direction_, repeats_.loss());
    return circumstances;
}

void Sender::sampled(const TcpSample &s) {
    TcpDirectionCounts &figures = direction_.figures();
    ++figures.samples;
    limits_.sampled(s);
    wait_.sampled(s, repeats_.loss().repairing());
    const bool with_little = s.flight && *s.flight <= initial_window(s.mss);
    if (with_little || queue_)
        made(queue_).sent(s.time, with_little);
    if (s.flight) {
        figures.largest_flight = std::max(figures.largest_flight, *s.flight);
        figures.flights.add(static_cast<double>(*s.flight));
        direction_.track.sent_log().note_flight(s.end_offset, *s.flight);
    }
    if (s.limit == SendLimit::send_buffer && s.flight)
        figures.send_plateau = std::max(figures.send_plateau.value_or(0), *s.flight);
    if (s.cwnd) {
        figures.largest_cwnd = std::max(figures.largest_cwnd.value_or(0), *s.cwnd);
        made(cwnds_).add(static_cast<std::int64_t>(*s.cwnd));
    }
}

void Sender::round_trip(Duration sample, Time when, bool was_sent) {
    made(queue_).add(sample, when, was_sent);
}

TcpDirectionFigures Sender::finish(const Connection &c, Time at, DirectionSink &out) {
    Direction &d = direction_;
    limits_.run_to(d, c, std::max(at, c.last_time), repeats_.loss());
    repeats_.ended(d, c, at);
    repeats_.settle(d, c, at, true, out);
    answers_.finish(d, at);
    TcpDirectionFigures f;
    d.tally.fill(f);
    const ConnectionEnd &own = d.sender(c);
    const bool answers_seen = d.receiver(c).seen;
    f.stream = c.stream;
    limits_.fill(f);
    if (!own.seen || !answers_seen) { // one direction alone does not show the limit
        f.limit_time = {};
        f.limit_time[static_cast<std::size_t>(SendLimit::unknown)] = f.end - f.start;
        f.busy = {};
    }
    if (own.window_scale_known)
        f.window_scale = own.window_scale;
    f.timestamps = own.timestamps;
    f.segments = own.segments;
    f.bytes = own.stream_bytes;
    f.unseen_bytes = own.missed_bytes();
    const SentLog &sent = d.track.sent_log();
    const std::uint64_t passed_end = sent.end() - std::min(sent.end(), own.lost_bytes);
    f.never_acked =
        sent.last() && answers_seen && passed_end > own.acked_offset ? passed_end - own.acked_offset : 0;
    f.duplicate_frames = own.duplicate_frames;
    f.rtt_to_sender = quantiles(d.times.to_end(d.times.sender()), own);
    f.rtt_to_receiver = quantiles(d.times.to_end(d.times.receiver()), d.receiver(c));
    if (cwnds_)
        f.median_cwnd = static_cast<std::uint64_t>(cwnds_->quantile(0.5).value_or(0));
    if (queue_) {
        queue_->settle();
        f.queue_delay = quantiles_of(queue_->delays());
        f.empty_path = queue_->empty_path();
    }
    return f;
}

} // namespace iscsiscope
