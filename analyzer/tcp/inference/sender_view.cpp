// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/inference/sender_view.h"

#include <algorithm>

namespace iscsiscope {
namespace {

using namespace std::chrono_literals;

// Until the segments tell: Ethernet with timestamps.
constexpr std::uint32_t default_mss = 1448;
// SACKed packets that make a hole a loss (RFC 6675: DupThresh).
constexpr std::uint64_t duplicate_threshold = 3;
// No sender in use has a shorter retransmission timeout than 200 ms; coarse timers may fire early by a tick.
constexpr Duration least_timeout = 190ms;

std::uint64_t less(std::uint64_t a, std::uint64_t b) {
    return a > b ? a - b : 0;
}

} // namespace

std::uint32_t SenderView::mss(const Connection &c, Side sender) {
    const std::uint32_t m = size_.value(c, sender);
    return m != 0 ? m : default_mss;
}

void SenderView::acknowledged(const Connection &c, Side sender, const SegmentReport &report) {
    const Segment &s = *report.segment;
    if ((s.flags & tcp_ack) == 0 || (s.flags & tcp_rst) != 0)
        return;
    // Most data segments bring no news for the direction that they acknowledge.
    if (!report.ack_advanced && s.window == last_window_ && s.options.sack_count == 0 &&
        board_.ranges().empty() && (s.flags & tcp_syn) == 0 && !acks_.empty()) {
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
    counter_.extend(a.acknowledged, size); // data that the capture lacks has passed
    a.acknowledged_packets = counter_.at(a.acknowledged, size);
    board_.acknowledged(a.acknowledged);
    for (std::size_t i = 0; i < s.options.sack_count && base_known_; ++i) {
        const auto begin = static_cast<std::int64_t>(a.acknowledged) +
                           static_cast<std::int32_t>(s.options.sack[i].left - base_ -
                                                     static_cast<std::uint32_t>(a.acknowledged));
        const std::uint32_t length = s.options.sack[i].right - s.options.sack[i].left;
        // Below the ACK: a duplicate (RFC 2883). Beyond all data seen: not of this stream.
        if (begin > static_cast<std::int64_t>(a.acknowledged) &&
            static_cast<std::uint64_t>(begin) + length <= counter_.highest())
            board_.add(static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(begin) + length);
    }
    a.sacked_bytes = board_.bytes();
    a.sacked_packets = board_.packets(
        [&](const SackBoard::Range &r) { return counter_.at(r.end, size) - counter_.at(r.begin, size); });
    a.highest_sacked = board_.ranges().empty() ? a.acknowledged : board_.ranges().back().end;
    a.highest_sacked_packets =
        board_.ranges().empty() ? a.acknowledged_packets : counter_.at(a.highest_sacked, size);
    if (receiver.window_scale_known)
        a.window_edge = a.acknowledged + receiver.receive_window;
    else if ((s.flags & tcp_syn) == 0)
        a.window_field = s.window;
    acks_.add(a);
    counter_.forget_below(a.acknowledged);
}

void SenderView::half_loop_seen(Time answered, Duration loop) {
    loop_.sample(answered, loop);
}

SenderView::Known SenderView::known(const Connection &c, const SegmentReport &report, bool stale,
                                    Anchor &anchor) {
    const Segment &s = *report.segment;
    const RttTrack &track = c.end(report.side).rtt;
    if (track.samples != loop_samples_) {
        loop_samples_ = track.samples;
        loop_.sample(s.time, *track.latest);
    }
    const bool stamped = s.options.has_timestamps && c.end(other(report.side)).timestamps;
    const bool looped = !stamped || stale;
    const auto loop = looped ? loop_.now(s.time) : std::nullopt;
    anchor = stamped ? Anchor::timestamp : loop ? Anchor::half_loop : Anchor::tap;
    if (acks_.empty())
        return {};
    Known k;
    if (stamped) {
        const AckHistory::Known tick = acks_.at_timestamp(s.options.timestamp_echo);
        k = {tick.least, tick.most, tick.most, true, false, !stale};
    }
    if (stamped && !stale)
        exact_at_ = s.time;
    if (looped) {
        const HalfLoop::Estimate e = loop.value_or(HalfLoop::Estimate{});
        const AckState *least = acks_.last_by(s.time - e.most), *most = acks_.last_by(s.time - e.least);
        const AckState *likely = e.likely == e.least ? most : acks_.last_by(s.time - e.likely);
        if (!stamped)
            k = {least, likely, most};
        k.queued = e.queued;
        const auto newer = [](const AckState *a, const AckState *b) {
            return a == nullptr || (b != nullptr && b->time > a->time) ? b : a;
        };
        k.likely = newer(k.likely, likely);
        k.most = newer(k.most, most);
        // In a connection with timestamps what is found by time only fills the gaps between echoes.
        const bool echoes_near = exact_at_ && s.time - *exact_at_ <= trip_.latest.value_or(Duration{0});
        k.sure = e.steady && (!stamped || echoes_near);
        if (stamped && k.likely == k.most && k.most == k.least)
            k.sure = true; // nothing else can have been known
        if (!stamped && least != nullptr)
            acks_.forget_before(s.time - 2 * e.most - std::chrono::seconds(1));
    }
    return k;
}

// RFC 7323 section 4.3: TS.Recent is taken only from segments at or below Last.ACK.sent. When data of the
// other direction arrives, ACKs behind it leave TS.Recent alone until an ACK for that data has been sent.
// So the segments from the first with a new ACK number up to the next change of the echo may have been
// sent with knowledge of later ACKs than the echo tells.
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

// Bytes that had been sent before: a retransmission, or at taps behind a loss or a reordering their
// first passage.
void SenderView::resent(const SegmentReport &report, std::uint64_t end, std::uint32_t size) {
    const Segment &s = *report.segment;
    trip_.running = false; // Karn
    resent_.push_back({end, s.payload_length, (s.payload_length + size - 1) / size});
    if (!report.repeats && s.time - last_sent_ < least_timeout)
        return; // may have been overtaken only
    const bool oldest = acks_.empty() || report.offset <= acks_.latest().acknowledged;
    if (oldest && s.time - last_sent_ >= least_timeout) {
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
        // Out of a timeout the window still doubles; out of recovery it stands at the threshold.
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
        } else if ((s.flags & tcp_cwr) != 0) { // the window was cut for a mark (RFC 3168 section 6.1.2)
            state_ = SenderState::recovery;
            recovery_point_ = sent_before;
            envelope_.entered_recovery();
        } else if (any_sent_ && s.time - last_sent_ >= least_timeout && k.acknowledged >= sent_before) {
            state_ = SenderState::idle_restart;
            recovery_point_ = sent_before + s.payload_length;
            envelope_.idled();
        }
    }
}

SenderView::Pipe SenderView::pipe(const Known &k, std::uint64_t end) {
    const std::uint64_t sent = counter_.at(end, default_mss); // its own end: no size is needed
    while (!resent_.empty() && resent_.front().end <= k.least->acknowledged)
        resent_.pop_front();
    std::uint64_t again = 0, again_bytes = 0;
    for (std::size_t i = 0; i < resent_.size(); ++i) {
        if (resent_[i].end > k.likely->acknowledged) {
            again += resent_[i].packets;
            again_bytes += resent_[i].bytes;
        }
    }
    // With a loss known all holes below the highest SACKed byte count as lost.
    const auto is_lost = [](const AckState &a) { return a.sacked_packets >= duplicate_threshold; };
    const auto least_packets = [&](const AckState &a) {
        return less(sent, is_lost(a) ? a.highest_sacked_packets : a.delivered());
    };
    const AckState &first = *k.least, &likely = *k.likely, &last = *k.most;
    Pipe p;
    p.packets = least_packets(likely);
    p.low = least_packets(last);
    p.high = less(sent, first.delivered()) + again;
    p.bytes_low = less(end, is_lost(last) ? last.highest_sacked : last.acknowledged + last.sacked_bytes);
    p.bytes_high = less(end, first.acknowledged + first.sacked_bytes) + again_bytes;
    p.bytes = less(end, is_lost(likely) ? likely.highest_sacked : likely.acknowledged + likely.sacked_bytes);
    p.bytes = std::min(p.bytes + (is_lost(likely) ? again_bytes : 0), p.bytes_high);
    return p;
}

// Data → its ACK at the tap, then that ACK → what it released: together the full round trip from any tap.
void SenderView::measure_round_trip(const AckState &k, std::uint64_t end, Time now,
                                    std::optional<Duration> loop) {
    if (loop && (!trip_.loop || *loop < *trip_.loop))
        trip_.loop = loop;
    if (trip_.running && k.acknowledged >= trip_.end) {
        std::optional<Duration> rest = trip_.loop;
        if (const auto e = rest ? std::nullopt : loop_.now(now))
            rest = e->likely;
        if (rest && k.time >= trip_.begin)
            trip_.latest = k.time - trip_.begin + *rest;
        trip_.running = false;
        envelope_.round_trip_passed();
    }
    if (!trip_.running && state_ != SenderState::recovery && state_ != SenderState::loss)
        trip_ = {true, end, now, std::nullopt, trip_.latest};
}

// Fills in the window that the sender was offered; whether this segment has used it up.
bool SenderView::look_at_window(const Known &k, std::uint64_t end, std::uint32_t size, TcpSample &sample) {
    if (k.likely->window_edge != 0) {
        sample.receive_window = less(k.likely->window_edge, k.likely->acknowledged);
        // Of the ACKs of a tick it may have been the first that stopped it.
        const AckState &known = k.by_echo && k.least->window_edge != 0 ? *k.least : *k.likely;
        return known.window_edge < end + 2 * std::uint64_t{size};
    }
    if (k.most->acknowledged > 0)
        scale_.reached(less(end, k.most->acknowledged), k.most->window_field);
    const auto scale = scale_.learnt();
    if (!scale || k.likely->window_field == 0)
        return false;
    sample.receive_window = std::uint64_t{k.likely->window_field} << *scale;
    sample.receive_window_inferred = true;
    return scale_.settled() && k.likely->acknowledged + *sample.receive_window < end + size;
}

bool SenderView::sent(const Connection &c, const SegmentReport &report, std::optional<TcpSample> &told) {
    const Segment &s = *report.segment;
    const bool stale = echo_may_be_stale(s);
    if (s.payload_length == 0 || report.probe || report.before_start)
        return false;
    base_ = s.sequence + ((s.flags & tcp_syn) != 0 ? 1 : 0) - static_cast<std::uint32_t>(report.offset);
    base_known_ = true;
    size_.sent(s.payload_length);
    const std::uint32_t full = size_.value(c, report.side);
    const std::uint32_t size = full != 0 ? full : default_mss;
    const std::uint64_t end = report.offset + s.payload_length;
    if (end <= counter_.highest()) {
        resent(report, end, size);
        last_sent_ = s.time;
        return false;
    }
    counter_.extend(report.offset, size); // not in the capture, or yet to come
    counter_.extend(end, size);

    if (!told)
        told.emplace();
    TcpSample &sample = *told; // the one before is written over: a fresh one would be cleared first
    sample.flight.reset();
    sample.cwnd.reset();
    sample.cwnd_high.reset();
    sample.limit = SendLimit::unknown;
    sample.receive_window.reset();
    sample.receive_window_inferred = false;
    sample.sender = report.side;
    sample.frame = s.frame;
    sample.time = s.time;
    sample.end_offset = end;
    sample.mss = full;
    sample.flight_at_tap = less(end, c.end(report.side).acked_offset);
    Known k = known(c, report, stale, sample.anchor);
    static constexpr AckState nothing{};
    for (const AckState **a : {&k.least, &k.likely, &k.most})
        *a = *a != nullptr ? *a : &nothing;
    follow_state(*k.likely, report, c.starts_with_syn);
    const Pipe p = pipe(k, end);
    const bool whole = c.starts_with_syn || k.likely->acknowledged > 0; // nothing older is under way
    sample.flight_low = p.bytes_low;
    sample.flight_high = p.bytes_high;
    if (whole && state_ != SenderState::loss)
        sample.flight = p.bytes;
    const bool window_full = look_at_window(k, end, size, sample);

    if (whole) {
        envelope_.send({.time = s.time,
                        .pipe = p.packets,
                        .pipe_low = p.low,
                        .pipe_high = p.high,
                        .delivered = k.likely->delivered(),
                        .pure_release = k.likely->pure,
                        .window_full = window_full,
                        .full = s.payload_length == size || s.payload_length % size == 0,
                        .sure = k.sure,
                        .by_time = sample.anchor != Anchor::timestamp || stale,
                        .queued = k.queued},
                       trip_.latest);
        // With other data under way it was the ACK, as a rule, that let the sender go on.
        std::optional<Duration> loop;
        if (sample.anchor == Anchor::timestamp && k.likely->acknowledged < report.offset &&
            s.time >= k.likely->time)
            loop = s.time - k.likely->time;
        if (loop && !stale)
            loop_.at_most(*loop);
        if (p.packets <= 2)
            loop_.begins_anew();
        if (any_sent_)
            loop_.sent_after(s.time - last_sent_);
        measure_round_trip(*k.likely, end, s.time, loop);
    }
    const auto window = envelope_.window();
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
    if (window) {
        if (state_ == SenderState::idle_restart || state_ == SenderState::unknown)
            state_ = SenderState::avoidance;
        if (state_ == SenderState::slow_start || state_ == SenderState::avoidance)
            state_ = envelope_.growing_fast() ? SenderState::slow_start : SenderState::avoidance;
        sample.cwnd = *window * size;
    }
    sample.state = state_;
    sample.cwnd_low = envelope_.low() * size;
    if (const auto high = envelope_.high())
        sample.cwnd_high = *high * size;
    sample.rtt = trip_.latest;
    any_sent_ = true;
    last_sent_ = s.time;
    return true;
}

} // namespace iscsiscope
