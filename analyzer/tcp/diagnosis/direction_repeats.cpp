// SPDX-License-Identifier: GPL-2.0-or-later
// DirectionDiagnosis: bytes that pass again or late: classes of retransmissions, place of loss, reordering.
#include "analyzer/tcp/diagnosis/direction_diagnosis.h"
#include "analyzer/tcp/diagnosis/reordering.h"

#include <algorithm>

namespace iscsiscope {
namespace {

using namespace std::chrono_literals;

// Timeouts double: with so many copies lost, each later than the one before, the sender cannot have been
// silent for longer. A timeout begins with three round trips or with at most 1 s (RFC 6298 sections 2.1, 2.2
// and 5.5). Numbers that are missing beyond that were of other connections of its host.
bool explains(std::uint16_t lost, Duration silence, Duration round_trip) {
    const Duration first = std::max<Duration>(1s, 3 * round_trip);
    return lost >= 8 || silence <= first * ((1 << lost) - 1);
}

} // namespace

// Returns what all retransmissions have in common. to: end of the repeated bytes.
UndecidedRepeat DirectionDiagnosis::repeat_of(const Connection &c, const SegmentReport &r,
                                              std::uint64_t to) const {
    UndecidedRepeat u;
    u.record.stream = c.stream;
    u.record.sender = sender_;
    u.record.frame = r.segment->frame;
    u.record.time = r.segment->time;
    u.record.offset = r.offset;
    u.record.length = static_cast<std::uint32_t>(to - r.offset);
    u.record.silence = silence_before(c, r.segment->time);
    u.end = to;
    u.timestamp = r.segment->options.timestamp_value;
    return u;
}

// Finds the class of a repeat by what its sender knew, and sets the sender's state after it.
void DirectionDiagnosis::judge(UndecidedRepeat &u, std::optional<Duration> since_last_copy) {
    const AckSeen &k = acks_.known();
    RepeatEvidence e;
    e.oldest = u.record.offset <= k.acked;
    e.last = u.end >= high_end_;
    e.signalled = k.highest() > u.end || k.duplicates > 0 || loss_.in_recovery();
    e.prompt = circumstances_.release_frame && circumstances_.prompt;
    e.in_loss = loss_.lost_by_timeout(u.record.offset);
    e.probes = loss_.probes();
    e.since_last_copy = since_last_copy;
    e.round_trip = smooth_round_trip();
    std::optional<Time> last = last_sent_;
    if (acks_.at(acks_.number()) != nullptr)
        last = std::max(last, std::optional(k.time));
    e.silence = last ? std::max(Duration{}, u.record.time - *last) : Duration{};
    const RepeatVerdict v = judge_repeat(e);
    u.record.kind = v.kind;
    u.record.signal_frame = v.kind == RetransmissionClass::fast ? known_frame(k.frame) : std::nullopt;
    u.expiry = v.expiry;
    u.maybe_probe = v.maybe_probe;
    loss_.repeated(v, high_end_, u.record.time);
}

// Keeps the repeat until its class is final, and enters it into the circumstances.
void DirectionDiagnosis::await(const Connection &c, const UndecidedRepeat &u) {
    circumstances_.kind = u.record.kind;
    circumstances_.recovers = u.record.kind != RetransmissionClass::spurious;
    circumstances_.verdict_open = circumstances_.recovers && c.end(other(sender_)).seen;
    circumstances_.attempt = u.record.attempt;
    circumstances_.original_frame = u.record.original_frame;
    circumstances_.original_time = u.record.original_time;
    circumstances_.signal_frame = u.record.signal_frame;
    undecided_.add(u);
}

// True if the receiver reported bytes behind these, and not these. With SACK a duplicate ACK may as well
// report that a segment came twice.
bool DirectionDiagnosis::hole_reported(const AckSeen &a, std::uint64_t from, std::uint64_t to) const {
    return a.acked <= from && (a.highest() > to || (a.duplicates > 0 && !figures().sack_offered));
}

BlackHole::Passing DirectionDiagnosis::passing(const Connection &c, const SegmentReport &r) {
    const Segment &s = *r.segment;
    return {sent_,     track_.board(), tally_,           c.end(sender_).acked_offset,
            high_end_, r.offset,       s.payload_length, s.frame,
            s.time};
}

void DirectionDiagnosis::repeat(const Connection &c, const SegmentReport &r, std::uint64_t to,
                                bool original_seen, DirectionSink &out) {
    const Segment &s = *r.segment;
    UndecidedRepeat u = repeat_of(c, r, to);
    TcpRetransmission &record = u.record;
    record.place = original_seen ? LossPlace::behind_tap : LossPlace::unknown;
    std::optional<Duration> since_last_copy;
    const BlackHole::Passing now = passing(c, r);
    sent_.visit(r.offset, to, [&](SentLog::Sent &e) {
        if (!record.original_frame) {
            record.original_frame = known_frame(e.frame);
            record.original_time = e.first;
            record.delay = s.time - e.first;
            record.attempt = e.repeats + 1U;
            if (e.flight > 0)
                record.flight = e.flight;
        }
        const std::optional<Time> last_copy = sent_.repeated(e, s.time);
        if (last_copy && !since_last_copy)
            since_last_copy = s.time - *last_copy;
        if (e.end() > now.acked)
            BlackHole::repeated(now, e);
    });
    black_hole_.compare(now);
    judge(u, since_last_copy);
    const OptionalFrame signal = record.signal_frame;
    troubles().retransmitted_bytes += record.length;
    u.loss_shown = hole_reported(acks_.latest(), r.offset, to);
    // The echo of an older stamp is conclusive only if the receiver had acknowledged everything before these
    // bytes; otherwise it echoes an older stamp anyway (RFC 7323 section 4.3).
    u.echo_conclusive = s.options.has_timestamps && now.acked >= r.offset && now.acked < to;
    if (now.acked >= to) { // the original had been acknowledged when the repeat passed
        u.acked_at = s.time;
        u.was_spurious(signal);
    }
    await(c, u);
    if (undecided_.full()) {
        settle(c, s.time, true, out);
        circumstances_.verdict_open = false;
    }
}

void DirectionDiagnosis::late_fill(const Connection &c, const SegmentReport &r, DirectionSink &out) {
    const Segment &s = *r.segment;
    const std::uint64_t to = std::min(r.offset + s.payload_length, high_end_);
    const SentLog::Sent *behind = sent_.first_from(r.offset);
    TcpReordering reordered;
    if (behind != nullptr && is_reordered(c, s, *behind, sent_.timestamp_step(), reordered.proof)) {
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
        circumstances_.overtaken = true;
        out.reordering(c, reordered);
        add_sent(r, r.offset, to, true);
        return;
    }
    UndecidedRepeat u = repeat_of(c, r, to);
    u.record.place = LossPlace::before_tap;
    if (behind != nullptr) {
        u.record.delay = s.time - behind->first;
        const std::uint64_t own = behind->length;
        if (behind->flight > own)
            u.record.flight = behind->flight - own;
    }
    judge(u, std::nullopt);
    await(c, u);
    add_sent(r, r.offset, to, true);
}

// The last segments of a run may be lost before the tap without leaving a hole: their repeats look like new
// data after a silence. IP identifications that are missing reveal the loss. Before a retransmission timeout
// can have expired, a pure ACK that was lost would leave the same trace; but behind a full segment the sender
// had more to send, and it would not have waited for a round trip with it. A segment without payload proves
// the loss as well: its sequence number is the next one to send, above all that was sent before.
void DirectionDiagnosis::unseen_tail(const Connection &c, const SegmentReport &r, std::uint16_t left_out) {
    const bool announced = announced_ > r.offset;
    if ((left_out == 0 && !announced) || !any_sent_ || r.offset != high_end_)
        return;
    const Segment &s = *r.segment;
    const Duration silence = silence_before(c, s.time);
    if (!announced && !explains(left_out, silence, smooth_round_trip())) {
        ids_.found_shared();
        return;
    }
    const SentLog::Sent *before = sent_.holding(high_end_ - 1);
    const bool had_more =
        before != nullptr && figures().full_segment && before->length % *figures().full_segment == 0;
    const bool probe = silence < min_timeout;
    if (probe && !((announced || had_more) && silence >= smooth_round_trip()))
        return;
    UndecidedRepeat u = repeat_of(c, r, r.offset + s.payload_length);
    u.record.kind = probe ? RetransmissionClass::tail_probe : RetransmissionClass::timeout;
    u.record.place = LossPlace::before_tap;
    u.expiry = !probe;
    u.maybe_probe = !probe && left_out == 1;
    if (!probe) // one such repeat does not prove that the sender uses tail loss probes
        loss_.repeated({u.record.kind, true}, high_end_, s.time);
    await(c, u); // its attempt is at least one: the number of repeats is unknown
}

// Reports the retransmissions whose class no later segment can change.
void DirectionDiagnosis::settle(const Connection &c, Time now, bool all, DirectionSink &out) {
    // A DSACK comes when the second copy arrives: within a round trip of the ACK for the first.
    const Duration grace = 2 * smooth_round_trip() + 500ms;
    const bool receiver_seen = c.end(other(sender_)).seen;
    undecided_.settle(now, grace, all || !receiver_seen, loss_.probes(), tally_,
                      [&](const TcpRetransmission &record) { out.retransmission(c, record); });
}

} // namespace iscsiscope
