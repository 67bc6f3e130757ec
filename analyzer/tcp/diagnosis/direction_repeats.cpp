// SPDX-License-Identifier: GPL-2.0-or-later
// DirectionDiagnosis: bytes that pass again or late: classes of retransmissions, place of loss, reordering.
#include "analyzer/tcp/diagnosis/direction_diagnosis.h"

#include <algorithm>

namespace iscsiscope {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t max_undecided = 4096;
// Segments that a sender may send after a timeout before a further ACK reaches it.
constexpr std::uint64_t most_behind_timeout = 3;

std::optional<Duration> shortest_round_trip(const Connection &c) {
    const auto &a = c.ends[0].rtt.minimum, &b = c.ends[1].rtt.minimum;
    return a && b ? std::optional(*a + *b) : std::nullopt;
}

} // namespace

RepeatVerdict DirectionDiagnosis::judged(const SegmentReport &r, std::uint64_t to,
                                         std::optional<Duration> since_last_copy) const {
    const AckSeen &k = known();
    RepeatEvidence e;
    e.oldest = r.offset <= k.acked;
    e.last = to >= high_end_;
    e.signalled = k.sack_top > to || k.duplicates > 0 || recovery_until_.has_value();
    e.prompt = now_.release_frame != 0 && now_.prompt;
    e.in_loss = loss_until_.has_value() && r.offset < *loss_until_;
    e.probes = probes_;
    e.since_last_copy = since_last_copy;
    e.round_trip = smooth_round_trip();
    std::optional<Time> last = last_sent_;
    if (acks_.at(known_) != nullptr)
        last = std::max(last, std::optional(k.time));
    e.silence = last ? std::max(Duration{}, r.segment->time - *last) : Duration{};
    return judge_repeat(e);
}

// Sets the sender's state after a repeat.
void DirectionDiagnosis::enter(const RepeatVerdict &v, Time now) {
    if (v.kind == RetransmissionClass::timeout && v.expiry) {
        loss_until_ = std::max(high_end_, loss_until_.value_or(0));
        recovery_until_.reset();
    } else if (v.kind == RetransmissionClass::tail_probe) {
        probes_ = true;
    } else if (v.kind == RetransmissionClass::fast && !recovery_until_ && !loss_until_) {
        recovery_until_ = high_end_;
        recovery_began_ = now;
    }
}

// Counts a segment of new data after a repeat. If there are more than the window after a timeout allows
// (RFC 5681 section 3.1: one segment, two after its ACK), the repeat was a tail loss probe.
void DirectionDiagnosis::note_sent_after_repeat() {
    if (after_repeat_.repeat == 0)
        return;
    if (after_repeat_.segments == 0)
        after_repeat_.known = known_;
    if (after_repeat_.known == known_ && ++after_repeat_.segments <= most_behind_timeout)
        return;
    for (Undecided &u : undecided_) {
        if (u.record.frame != after_repeat_.repeat)
            continue;
        u.maybe_probe = false;
        if (after_repeat_.segments > most_behind_timeout) {
            probes_ = true;
            if (u.record.kind == RetransmissionClass::timeout)
                u.record.kind = RetransmissionClass::tail_probe;
        }
    }
    after_repeat_ = {};
}

// Returns a record with the members common to all retransmissions. to: end of the repeated bytes.
TcpRetransmission DirectionDiagnosis::record_of(const Connection &c, const SegmentReport &r,
                                                std::uint64_t to) const {
    TcpRetransmission record;
    record.stream = c.stream;
    record.sender = sender_;
    record.frame = r.segment->frame;
    record.time = r.segment->time;
    record.offset = r.offset;
    record.length = static_cast<std::uint32_t>(to - r.offset);
    record.silence = silence_before(c, r.segment->time);
    return record;
}

// True if the receiver reported bytes behind these, and not these. With SACK a duplicate ACK may as well
// report that a segment came twice.
bool DirectionDiagnosis::hole_reported(const AckSeen &a, std::uint64_t from, std::uint64_t to) const {
    return a.acked <= from && (a.sack_top > to || (a.duplicates > 0 && !figures_.sack_offered));
}

void DirectionDiagnosis::repeat(const Connection &c, const SegmentReport &r, std::uint64_t to,
                                bool original_seen, DirectionSink &out) {
    const Segment &s = *r.segment;
    TcpRetransmission record = record_of(c, r, to);
    record.place = original_seen ? LossPlace::behind_tap : LossPlace::unknown;
    std::optional<Duration> since_last_copy;
    sent_.visit(r.offset, to, [&](SentLog::Sent &e) {
        bool first = false;
        if (record.original_frame == 0) {
            record.original_frame = e.frame;
            record.original_time = e.first;
            record.delay = s.time - e.first;
            record.attempt = e.repeats + 1U;
            if (e.flight > 0)
                record.flight = e.flight;
            first = true;
        }
        const std::optional<Time> last_copy = sent_.repeated(e, s.time);
        if (first && last_copy)
            since_last_copy = s.time - *last_copy;
        if (e.end() > c.end(sender_).acked_offset)
            note_black_hole(e, s.payload_length, s.frame);
    });
    compare_sizes(r, c.end(sender_).acked_offset);
    const RepeatVerdict v = judged(r, to, since_last_copy);
    record.kind = v.kind;
    if (v.kind == RetransmissionClass::fast)
        record.signal_frame = known().frame;
    now_.attempt = record.attempt;
    now_.original_frame = record.original_frame;
    now_.signal_frame = record.signal_frame;
    enter(v, s.time);
    troubles().retransmitted_bytes += record.length;

    Undecided u;
    u.record = record;
    u.end = to;
    u.timestamp = s.options.timestamp_value;
    u.expiry = v.expiry;
    u.maybe_probe = v.maybe_probe;
    u.loss_shown = hole_reported(acks_.empty() ? AckSeen{} : acks_.latest(), r.offset, to);
    const std::uint64_t acked = c.end(sender_).acked_offset;
    // The echo of an older stamp is conclusive only if the receiver had acknowledged everything before these
    // bytes; otherwise it echoes an older stamp anyway (RFC 7323 section 4.3).
    u.echo_conclusive = s.options.has_timestamps && acked >= r.offset && acked < to;
    if (acked >= to) { // the original had been acknowledged when the repeat passed
        u.acked_at = s.time;
        u.record.kind = RetransmissionClass::spurious;
        u.record.place = LossPlace::none;
    }
    note_verdict(c, u.record.kind);
    undecided_.push_back(u);
    if (undecided_.size() > max_undecided) {
        settle(c, s.time, true, out);
        now_.verdict_open = false;
    }
}

// Enters the class of the current repeat into the circumstances.
void DirectionDiagnosis::note_verdict(const Connection &c, RetransmissionClass kind) {
    now_.kind = kind;
    now_.recovers = kind != RetransmissionClass::spurious;
    now_.verdict_open = now_.recovers && c.end(other(sender_)).seen;
}

// Returns whether a segment behind a later one was only reordered, and sets the proof.
bool DirectionDiagnosis::overtaken(const Connection &c, const SegmentReport &r, const SentLog::Sent &by,
                                   TcpReordering &reordered) const {
    const Segment &s = *r.segment;
    if (s.options.has_timestamps && by.timestamp != 0) {
        const auto step = static_cast<std::int32_t>(s.options.timestamp_value - by.timestamp);
        reordered.proof = ReorderingProof::timestamp;
        if (step != 0)
            return step < 0;
        // Its sender's clock stood still in between: a repeat would have come a round trip later.
        const std::optional<Duration> tick = sent_.timestamp_step();
        const std::optional<Duration> trip = shortest_round_trip(c);
        if (tick && trip && *trip >= 2 * *tick)
            return true;
    }
    if (s.has_ip_id && s.ip_id != 0 && by.ip_id != 0) {
        reordered.proof = ReorderingProof::ip_id;
        return static_cast<std::int16_t>(static_cast<std::uint16_t>(s.ip_id - by.ip_id)) < 0;
    }
    // A repeat comes no sooner than a round trip after the hole.
    reordered.proof = ReorderingProof::quick;
    const std::optional<Duration> trip = shortest_round_trip(c);
    return trip && s.time - by.first < *trip * 9 / 10;
}

void DirectionDiagnosis::late_fill(const Connection &c, const SegmentReport &r, DirectionSink &out) {
    const Segment &s = *r.segment;
    const std::uint64_t to = std::min(r.offset + s.payload_length, high_end_);
    const SentLog::Sent *behind = sent_.first_from(r.offset);
    TcpReordering reordered;
    if (behind != nullptr && overtaken(c, r, *behind, reordered)) {
        reordered.stream = c.stream;
        reordered.sender = sender_;
        reordered.frame = s.frame;
        reordered.overtaken_by = behind->frame;
        reordered.time = s.time;
        reordered.delay = std::max(Duration{}, s.time - behind->first);
        sent_.visit(to, high_end_, [&](const SentLog::Sent &e) {
            ++reordered.segments;
            reordered.bytes += e.length;
        });
        if (troubles().reorderings++ == 0)
            troubles().first_reordering = s.frame;
        troubles().reordering_segments = std::max(troubles().reordering_segments, reordered.segments);
        troubles().reordering_delay = std::max(troubles().reordering_delay, reordered.delay);
        now_.overtaken = true;
        out.reordering(c, reordered);
        add_sent(r, r.offset, to, true);
        return;
    }
    const RepeatVerdict v = judged(r, to, std::nullopt);
    TcpRetransmission record = record_of(c, r, to);
    record.kind = v.kind;
    record.place = LossPlace::before_tap;
    if (behind != nullptr) {
        record.delay = s.time - behind->first;
        const std::uint64_t own = behind->length;
        if (behind->flight > own)
            record.flight = behind->flight - own;
    }
    if (v.kind == RetransmissionClass::fast)
        record.signal_frame = known().frame;
    note_verdict(c, v.kind);
    now_.attempt = 1;
    now_.signal_frame = record.signal_frame;
    enter(v, s.time);
    add_sent(r, r.offset, to, true);
    Undecided u;
    u.record = record;
    u.end = to;
    u.timestamp = s.options.timestamp_value;
    u.expiry = v.expiry;
    u.maybe_probe = v.maybe_probe;
    undecided_.push_back(u);
}

// The last segments of a run may be lost before the tap without leaving a hole: their repeats look like new
// data after a silence. IP identifications that are missing reveal the loss. Before a retransmission timeout
// can have expired, a pure ACK that was lost would leave the same trace; but behind a full segment the sender
// had more to send, and it would not have waited for a round trip with it. A segment without payload proves
// the loss as well: its sequence number is the next one to send, above all that was sent before.
void DirectionDiagnosis::unseen_tail(const Connection &c, const SegmentReport &r, std::uint16_t left_out,
                                     DirectionSink &) {
    const bool announced = announced_ > r.offset;
    if ((left_out == 0 && !announced) || !any_sent_ || r.offset != high_end_)
        return;
    const Segment &s = *r.segment;
    const Duration silence = silence_before(c, s.time);
    const SentLog::Sent *before = sent_.holding(high_end_ - 1);
    const bool had_more =
        before != nullptr && figures_.full_segment != 0 && before->length % figures_.full_segment == 0;
    const bool probe = silence < least_timeout;
    if (probe && !((announced || had_more) && silence >= smooth_round_trip()))
        return;
    TcpRetransmission record = record_of(c, r, r.offset + s.payload_length);
    record.kind = probe ? RetransmissionClass::tail_probe : RetransmissionClass::timeout;
    record.place = LossPlace::before_tap;
    note_verdict(c, record.kind);
    now_.attempt = 1; // at least one; the number of repeats is unknown
    if (!probe)       // one such repeat does not prove that the sender uses tail loss probes
        enter({record.kind, true}, s.time);
    Undecided u;
    u.record = record;
    u.end = r.offset + s.payload_length;
    u.timestamp = s.options.timestamp_value;
    u.expiry = !probe;
    u.maybe_probe = !probe && left_out == 1;
    undecided_.push_back(u);
}

// Reports the retransmissions whose class no later segment can change.
void DirectionDiagnosis::settle(const Connection &c, Time now, bool all, DirectionSink &out) {
    // A DSACK comes when the second copy arrives: within a round trip of the ACK for the first.
    const Duration grace = 2 * smooth_round_trip() + 500ms;
    all = all || !c.end(other(sender_)).seen; // the receiver is not in the capture
    auto next = undecided_.begin();
    for (; next != undecided_.end(); ++next) {
        Undecided &u = *next;
        if (!all && (!u.acked_at || u.maybe_probe || now - *u.acked_at <= grace))
            break;
        TcpRetransmission &record = u.record;
        if (u.maybe_probe && probes_ && record.kind == RetransmissionClass::timeout)
            record.kind = RetransmissionClass::tail_probe;
        TcpDirectionTroubles &f = troubles();
        if (u.expiry && record.kind == RetransmissionClass::timeout)
            f.timeouts.add(record.silence, record.frame);
        ++f.retransmissions[static_cast<std::size_t>(record.kind)];
        if (f.first_retransmission == 0 || record.frame < f.first_retransmission)
            f.first_retransmission = record.frame;
        f.lost_before_tap += record.place == LossPlace::before_tap ? 1 : 0;
        f.lost_behind_tap += record.place == LossPlace::behind_tap ? 1 : 0;
        f.loss_not_shown += record.place == LossPlace::behind_tap && !u.loss_shown ? 1 : 0;
        f.lost_unknown_place += record.place == LossPlace::unknown ? 1 : 0;
        if (record.place != LossPlace::none && record.attempt == 1 && record.flight)
            f.lost_flights.add(static_cast<double>(*record.flight));
        out.retransmission(c, record);
    }
    if (next != undecided_.begin())
        undecided_.erase(undecided_.begin(), next);
}

} // namespace iscsiscope
