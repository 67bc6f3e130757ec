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

// What an end takes to answer, at most, beyond what it takes to go on sending.
constexpr Duration host_reaction = 200us;

// Loops in a row that must have been near the least one.
constexpr unsigned steady_loops = 3;

std::uint64_t less(std::uint64_t a, std::uint64_t b) {
    return a > b ? a - b : 0;
}

} // namespace

std::uint32_t SenderView::mss(const Connection &c, Side sender) const {
    const std::uint32_t m = size_.value(c, sender);
    return m != 0 ? m : default_mss;
}

void SenderView::acknowledged(const Connection &c, Side sender, const SegmentReport &report) {
    const Segment &s = *report.segment;
    if ((s.flags & tcp_ack) == 0 || (s.flags & tcp_rst) != 0)
        return;
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
    for (const SackBoard::Range &r : board_.ranges())
        a.sacked_packets += counter_.at(r.end, size) - counter_.at(r.begin, size);
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
    if (loop >= Duration::zero())
        hint_ = {answered, loop};
}

AckHistory::Known SenderView::known(const Connection &c, const SegmentReport &report, bool stale,
                                    Anchor &anchor) {
    const Segment &s = *report.segment;
    if (acks_.empty())
        return {};
    if (s.options.has_timestamps && c.end(other(report.side)).timestamps) {
        anchor = Anchor::timestamp;
        AckHistory::Known k = acks_.at_timestamp(s.options.timestamp_echo);
        if (!k.exact_tick) // the ACK with this stamp is not in the capture: it was no later than the next
            k.most = acks_.behind(k.most);
        if (stale) {
            std::optional<Duration> loop = c.end(report.side).rtt.minimum;
            if (least_loop_ && (!loop || *least_loop_ < *loop))
                loop = least_loop_;
            const AckState *hidden = acks_.last_by(s.time - loop.value_or(Duration{0}));
            if (hidden != nullptr && hidden->time > k.most->time) {
                k.most = hidden;
                k.sure = false;
            }
        }
        return k;
    }
    const RttTrack &loop = c.end(report.side).rtt;
    anchor = loop.minimum ? Anchor::half_loop : Anchor::tap;
    // Its samples are data → ACK: a host sends new data on an ACK sooner than it answers data.
    const Duration shift = std::max(loop.minimum.value_or(Duration{0}) - host_reaction, Duration{0});
    return acks_.at_time(s.time - shift);
}

// Whether the loop tap → sender → tap is steady enough for the time of an ACK to tell when it was known:
// with a queue in it, it is not.
bool SenderView::loop_steady(const RttTrack &loop) {
    if (loop.samples != loops_) {
        loops_ = loop.samples;
        const bool near =
            *loop.latest - *loop.minimum <= std::max<Duration>(host_reaction, *loop.minimum / 8);
        steady_run_ = near ? steady_run_ + 1 : 0;
    }
    return steady_run_ >= steady_loops;
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

SenderView::Pipe SenderView::pipe(const AckHistory::Known &k, std::uint64_t end) {
    const std::uint64_t sent = counter_.at(end, default_mss); // its own end: no size is needed
    while (!resent_.empty() && resent_.front().end <= k.least->acknowledged)
        resent_.pop_front();
    std::uint64_t again = 0, again_bytes = 0;
    for (std::size_t i = 0; i < resent_.size(); ++i) {
        if (resent_[i].end > k.most->acknowledged) {
            again += resent_[i].packets;
            again_bytes += resent_[i].bytes;
        }
    }
    const AckState &a = *k.most, &b = *k.least;
    Pipe p;
    // With a loss known all holes below the highest SACKed byte count as lost.
    const bool lost = a.sacked_packets >= duplicate_threshold;
    p.low = less(sent, lost ? a.highest_sacked_packets : a.delivered());
    p.high = less(sent, b.delivered()) + again;
    p.bytes_low = less(end, lost ? a.highest_sacked : a.acknowledged + a.sacked_bytes);
    p.bytes_high = less(end, b.acknowledged + b.sacked_bytes) + again_bytes;
    p.bytes = std::min(p.bytes_low + (lost ? again_bytes : 0), p.bytes_high);
    return p;
}

// Data → its ACK at the tap, then that ACK → what it released: together the full round trip from any tap.
void SenderView::measure_round_trip(const AckState &k, std::uint64_t end, Time now,
                                    std::optional<Duration> loop, const RttTrack &track) {
    if (loop && (!trip_.loop || *loop < *trip_.loop))
        trip_.loop = loop;
    if (trip_.running && k.acknowledged >= trip_.end) {
        const std::optional<Duration> rest = trip_.loop ? trip_.loop : track.minimum;
        if (rest && k.time >= trip_.begin)
            trip_.latest = k.time - trip_.begin + *rest;
        trip_.running = false;
        envelope_.round_trip_passed();
    }
    if (!trip_.running && state_ != SenderState::recovery && state_ != SenderState::loss)
        trip_ = {true, end, now, std::nullopt, trip_.latest};
}

std::optional<TcpSample> SenderView::sent(const Connection &c, const SegmentReport &report) {
    const Segment &s = *report.segment;
    const bool stale = echo_may_be_stale(s);
    if (s.payload_length == 0 || report.probe || report.before_start)
        return std::nullopt;
    base_ = s.sequence + ((s.flags & tcp_syn) != 0 ? 1 : 0) - static_cast<std::uint32_t>(report.offset);
    base_known_ = true;
    size_.sent(s.payload_length);
    const std::uint32_t full = size_.value(c, report.side);
    const std::uint32_t size = mss(c, report.side);
    const std::uint64_t end = report.offset + s.payload_length;
    if (end <= counter_.highest()) {
        resent(report, end, size);
        last_sent_ = s.time;
        return std::nullopt;
    }
    counter_.extend(report.offset, size); // not in the capture, or yet to come
    counter_.extend(end, size);

    TcpSample sample;
    sample.sender = report.side;
    sample.frame = s.frame;
    sample.time = s.time;
    sample.end_offset = end;
    sample.mss = full;
    sample.flight_at_tap = less(end, c.end(report.side).acked_offset);
    AckHistory::Known k = known(c, report, stale, sample.anchor);
    const AckState nothing{};
    if (k.most == nullptr)
        k.least = k.most = &nothing;
    follow_state(*k.most, report, c.starts_with_syn);
    const Pipe p = pipe(k, end);
    const bool whole = c.starts_with_syn || k.most->acknowledged > 0; // nothing older is under way
    sample.flight_low = p.bytes_low;
    sample.flight_high = p.bytes_high;
    if (whole && state_ != SenderState::loss)
        sample.flight = p.bytes;
    const bool window_known = k.most->window_edge != 0;
    if (window_known)
        sample.receive_window = less(k.most->window_edge, k.most->acknowledged);
    const bool window_full = window_known && k.most->window_edge < end + 2 * std::uint64_t{size};

    if (whole) {
        envelope_.send(
            {.time = s.time,
             .pipe_low = p.low,
             .pipe_high = p.high,
             .delivered = k.most->delivered(),
             .pure_release = k.most->pure,
             .window_full = window_full,
             .full = s.payload_length % size == 0,
             .sure = sample.anchor == Anchor::timestamp ? k.sure : loop_steady(c.end(report.side).rtt)},
            trip_.latest);
        // With other data under way it was the ACK, as a rule, that let the sender go on.
        std::optional<Duration> loop;
        if (k.most->acknowledged < report.offset && s.time >= k.most->time)
            loop = s.time - k.most->time;
        if (loop && !stale && (!least_loop_ || *loop < *least_loop_))
            least_loop_ = loop;
        measure_round_trip(*k.most, end, s.time, loop, c.end(report.side).rtt);
    }
    const auto window = envelope_.window();
    if (state_ == SenderState::loss)
        sample.limit = SendLimit::unknown;
    else if (window_full)
        sample.limit = SendLimit::receive_window;
    else if (window || state_ == SenderState::recovery)
        sample.limit = SendLimit::cwnd;
    else if (envelope_.paced())
        sample.limit = SendLimit::pacing;
    else if (envelope_.plateau())
        sample.limit = SendLimit::send_buffer;
    else if (envelope_.enough_seen())
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
    return sample;
}

} // namespace iscsiscope
