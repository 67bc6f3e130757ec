// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/diagnosis/direction_diagnosis.h"

#include "analyzer/tcp/diagnosis/send_wait.h"

#include <algorithm>

namespace iscsiscope {
namespace {

// Returns the bytes that a sender may send into a path of which it knows nothing (RFC 6928 section 2).
std::uint64_t initial_window(std::optional<std::uint64_t> mss) {
    return mss ? std::min<std::uint64_t>(10 * *mss, std::max<std::uint64_t>(2 * *mss, 14600)) : 14600;
}

} // namespace

// Advances the LimitClock. An ACK takes effect one tap-side round trip tap → sender → tap after it passed,
// which is when the segments that the sender sends upon it pass the tap.
void DirectionDiagnosis::run_to(const Connection &c, Time now) {
    if (!clock_started_) {
        clock_started_ = true;
        clock_.start(c.first_time);
    }
    const Duration tap_rtt = to_sender(c);
    while (const AckSeen *learnt = acks_.learn_next(now, tap_rtt)) {
        const Time at = learnt->time + tap_rtt;
        clock_.run_to(at);
        if (const auto recovery = loss_.learnt(learnt->acked, at))
            troubles().recoveries.add(*recovery, learnt->frame);
        relabel();
    }
    acks_.skip_unknown();
    clock_.run_to(now);
}

void DirectionDiagnosis::relabel() {
    const AckSeen &k = acks_.known();
    const bool under_way = high_end_ > k.acked;
    SendLimit label = limit_;
    if (loss_.repairing())
        label = SendLimit::cwnd;
    else if (!under_way && label == SendLimit::receive_window &&
             !(k.edge != 0 && k.edge <= high_end_)) // the window is open, but the sender had no data
        label = SendLimit::application;
    clock_.set(label, under_way);
}

void DirectionDiagnosis::note_syn(const Segment &s) {
    if (figures().syn_seen)
        return;
    figures().syn_seen = true;
    if (s.options.has_mss)
        figures().mss_offered = s.options.mss;
    if (s.options.has_window_scale)
        figures().window_scale_offered = s.options.window_scale;
    figures().sack_offered = s.options.sack_permitted;
    // RFC 3168 section 6.1.1: a SYN offers with ECE and CWR, the answer accepts with ECE alone.
    const bool answer = (s.flags & tcp_ack) != 0, cwr = (s.flags & tcp_cwr) != 0;
    figures().ecn = (s.flags & tcp_ece) != 0 && cwr != answer;
}

void DirectionDiagnosis::add_sent(const SegmentReport &r, std::uint64_t from, std::uint64_t to, bool late) {
    const Segment &s = *r.segment;
    sent_.add({.begin = from,
               .first = s.time,
               .frame = s.frame,
               .length = static_cast<std::uint32_t>(to - from),
               .timestamp = s.options.timestamp_value,
               .flight = 0,
               .ip_id = s.has_ip_id ? s.ip_id : std::uint16_t{0},
               .late = static_cast<std::uint16_t>(late ? 1 : 0),
               .repeats = 0});
}

// Returns zero if neither a segment of the sender nor an ACK to it has passed: no silence is known then.
Duration DirectionDiagnosis::silence_before(const Connection &c, Time now) const {
    std::optional<Time> last = last_sent_;
    if (const AckSeen *k = acks_.at(acks_.number()))
        last = std::max(last, std::optional(k->time + to_sender(c))); // an empty optional is the least
    return last ? std::max(Duration{}, now - *last) : Duration{};
}

// Returns by how much the recent tap-side round trip tap → sender → tap exceeds its minimum (to_sender), due
// to queues.
Duration DirectionDiagnosis::lateness(Duration to_sender) const {
    return std::max(Duration{}, tap_rtts_[index(sender_)].usual() - to_sender);
}

void DirectionDiagnosis::note_known(const Connection &c, const Segment &s) {
    const Duration tap_rtt = to_sender(c);
    acks_.sent(s, tap_rtt + lateness(tap_rtt));
}

// Fills circumstances_ with what the sender had waited for, by its segment before and the ACKs that reached
// it since.
void DirectionDiagnosis::describe_wait(const Connection &c, const SegmentReport &r) {
    const Segment &s = *r.segment;
    circumstances_ = {};
    wait_described_ = true;
    circumstances_.frame = s.frame;
    circumstances_.limit_before = limit_;
    circumstances_.state_before = state_;
    circumstances_.recovering_before = loss_.repairing();
    circumstances_.plateau_before =
        window_.plateau.flat(figures().full_segment.value_or(0), state_ == SenderState::slow_start);
    const AckSeen *before = acks_.at(acks_.number_at_send());
    circumstances_.outstanding = high_end_ > (before != nullptr ? before->acked : 0);
    RttToSender tap_rtt;
    tap_rtt.least = to_sender(c);
    tap_rtt.late = lateness(tap_rtt.least);
    const Duration whole = tap_rtt.least + c.end(other(sender_)).rtt.minimum.value_or(Duration{});
    tap_rtt.slack = std::max<Duration>(whole / 8, host_reaction);
    describe_release(circumstances_, acks_, s, tap_rtt);
    circumstances_.window_inferred = !c.end(other(sender_)).window_scale_known;
    const std::uint32_t full = track_.segment();
    describe_window(circumstances_, acks_, s, tap_rtt, high_end_, std::min(full, s.payload_length));
    if (!last_sent_)
        window_.restart.opened();
    else if (r.offset < high_end_ || circumstances_.recovering_before)
        window_.restart.lost();
    else if (c.end(other(sender_)).rtt.minimum)
        describe_growth(circumstances_, window_.restart, acks_, s, tap_rtt,
                        {.length = s.time - *last_sent_,
                         .round_trip = whole,
                         .flight = high_end_,
                         .full = figures().full_segment.value_or(0),
                         .after = s.frame},
                        [this]() -> SlowStarts & { return troubles().slow_starts; });
}

// Takes a segment without payload, whose sequence number is the next one to send.
void DirectionDiagnosis::note_next(const Segment &s) {
    constexpr std::int64_t most = 1 << 30; // the largest window (RFC 7323 section 2.3)
    const auto next = track_.offset_of(s.sequence, high_end_);
    if (!next)
        return;
    const std::int64_t ahead = *next - static_cast<std::int64_t>(high_end_);
    if (ahead > 0 && ahead <= most)
        announced_ = std::max(announced_, high_end_ + static_cast<std::uint64_t>(ahead));
}

void DirectionDiagnosis::sent(const Connection &c, const SegmentReport &r, DirectionSink &out) {
    const Segment &s = *r.segment;
    if (only_adds(r)) {
        add(c, r);
        return;
    }
    if (s.payload_length != 0 && !acks_.empty())
        acks_.note_release(s);
    run_to(c, s.time);
    if ((s.flags & tcp_syn) != 0)
        note_syn(s);
    if ((s.flags & (tcp_rst | tcp_fin)) != 0)
        tally_.ended(s);
    if ((s.flags & tcp_rst) == 0)
        figures().face.note(s);
    const std::uint16_t left_out = ids_.left_out(s);
    if (s.payload_length == 0 && (s.flags & tcp_rst) == 0)
        note_next(s);
    if (s.payload_length == 0 || r.probe || r.before_start)
        return;
    figures().ce_marks += s.ip_ecn == 3 ? 1 : 0;
    figures().window_cuts_signalled += (s.flags & tcp_cwr) != 0 ? 1 : 0;
    figures().full_segment = track_.full_segment();
    if (!any_sent_ && !c.starts_with_syn)
        high_end_ = r.offset;
    const std::uint64_t end = r.offset + s.payload_length;
    const bool below = r.offset < high_end_;
    if (below || !last_sent_ || s.time - *last_sent_ > no_wait)
        describe_wait(c, r);
    else
        sent_without_wait(s.frame);
    window_.restart.sent(s.frame, s.payload_length);

    if (any_sent_ && !r.repeats && (black_hole_.waits() || r.offset == c.end(sender_).acked_offset))
        black_hole_.compare_unseen(passing(c, r), silence_before(c, s.time));
    if (r.repeats)
        repeat(c, r, std::min(end, high_end_), true, out);
    else if (below && r.new_bytes == 0)
        repeat(c, r, std::min(end, high_end_), false, out); // the hole had been given up
    else if (below)
        late_fill(c, r, out);
    else {
        undecided_.sent_new(acks_.number(), loss_);
        unseen_tail(c, r, left_out);
    }
    wait_described_ = wait_described_ || circumstances_.recovers || circumstances_.overtaken;
    if (end > high_end_)
        add_sent(r, std::max(r.offset, high_end_), end);

    high_end_ = std::max(high_end_, end);
    any_sent_ = true;
    note_sent_at(s.time);
    note_known(c, s);
    label_due_ = true;
    if (!undecided_.empty())
        settle(c, s.time, false, out);
}

void DirectionDiagnosis::sampled(const TcpSample &s) {
    ++figures().samples;
    label_due_ = label_due_ || s.limit != limit_; // in a run only the limit can change
    limit_ = s.limit;
    state_ = s.state;
    const bool with_little = s.flight && *s.flight <= initial_window(s.mss);
    if (with_little || queue_)
        made(queue_).sent(s.time, with_little);
    if (s.flight) {
        figures().largest_flight = std::max(figures().largest_flight, *s.flight);
        figures().flights.add(static_cast<double>(*s.flight));
        sent_.note_flight(s.end_offset, *s.flight);
        window_.restart.in_flight(*s.flight);
        if (loss_.repairing())
            window_.plateau.lost();
        else if (s.answered_after)
            window_.plateau.sample(s.time, *s.flight, *s.answered_after);
    }
    if (s.limit == SendLimit::send_buffer && s.flight)
        figures().send_plateau = std::max(figures().send_plateau.value_or(0), *s.flight);
    if (s.cwnd) {
        figures().largest_cwnd = std::max(figures().largest_cwnd.value_or(0), *s.cwnd);
        made(cwnds_).add(static_cast<std::int64_t>(*s.cwnd));
    }
}

void DirectionDiagnosis::round_trip(Duration sample, Time when, bool was_sent) {
    made(queue_).add(sample, when, was_sent);
}

void DirectionDiagnosis::segment_done() {
    if (label_due_)
        relabel();
    label_due_ = false;
}

TcpDirectionFigures DirectionDiagnosis::finish(const Connection &c, Time at, DirectionSink &out) {
    run_to(c, std::max(at, c.last_time));
    settle(c, at, true, out);
    receiver_.finish(at, tally_);
    TcpDirectionFigures f;
    tally_.fill(f);
    const ConnectionEnd &own = c.end(sender_);
    f.stream = c.stream;
    clock_.fill(f);
    if (!own.seen || !c.end(other(sender_)).seen) { // one direction alone does not show the limit
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
    const bool answers_seen = c.end(other(sender_)).seen;
    const std::uint64_t passed_end = high_end_ - std::min(high_end_, own.lost_bytes);
    f.never_acked =
        any_sent_ && answers_seen && passed_end > own.acked_offset ? passed_end - own.acked_offset : 0;
    f.duplicate_frames = own.duplicate_frames;
    f.rtt_to_sender = tap_rtts_[index(sender_)].quantiles();
    f.rtt_to_receiver = tap_rtts_[index(other(sender_))].quantiles();
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
