// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/diagnosis/repeats/sender_repeats.h"

#include "analyzer/tcp/diagnosis/repeats/reordering.h"

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

// Returns what all retransmissions have in common. to: end of the repeated bytes.
UndecidedRepeat repeat_of(const Direction &d, const Connection &c, const SegmentReport &r, std::uint64_t to) {
    UndecidedRepeat u;
    u.record.stream = c.stream;
    u.record.sender = d.times.sender();
    u.record.frame = r.segment->frame;
    u.record.time = r.segment->time;
    u.record.offset = r.offset;
    u.record.length = static_cast<std::uint32_t>(to - r.offset);
    u.record.silence = d.times.silence_before(c, r.segment->time);
    u.end = to;
    u.timestamp = r.segment->options.timestamp_value;
    return u;
}

// True if the receiver reported bytes behind these, and not these. With SACK a duplicate ACK may as well
// report that a segment came twice.
bool hole_reported(const Direction &d, const AckSeen &a, std::uint64_t from, std::uint64_t to) {
    return a.acked <= from && (a.highest() > to || (a.duplicates > 0 && !d.figures().sack_offered));
}

BlackHole::Passing passing(Direction &d, const Connection &c, const SegmentReport &r) {
    const Segment &s = *r.segment;
    return {d.track.sent_log(),
            d.track.board(),
            d.tally,
            d.sender(c).acked_offset,
            d.track.sent_log().end(),
            r.offset,
            s.payload_length,
            s.frame,
            s.time};
}

} // namespace

void SenderRepeats::passes(const Direction &d, const Segment &s) {
    left_out_ = ids_.left_out(s);
    if (s.payload_length != 0 || (s.flags & tcp_rst) != 0)
        return;
    own_acks_ += (s.flags & (tcp_syn | tcp_fin)) == 0 ? 1 : 0;
    // The sequence number of a segment without payload is the next one to send.
    constexpr std::int64_t most = 1 << 30; // the largest window (RFC 7323 section 2.3)
    const std::uint64_t end = d.track.sent_log().end();
    const auto next = d.track.offset_of(s.sequence, end);
    if (next && *next > static_cast<std::int64_t>(end) && *next - static_cast<std::int64_t>(end) <= most)
        announced_ = std::max(announced_, static_cast<std::uint64_t>(*next));
}

void SenderRepeats::sent(Direction &d, const Connection &c, const SegmentReport &r, SendCircumstances &at,
                         DirectionSink &out) {
    const SentLog &sent = d.track.sent_log();
    // Of what passed before the capture's first data nothing is known.
    const bool below = r.offset < sent.end() && (sent.last() || c.starts_with_syn);
    if (sent.last() && !r.repeats && (black_hole_.waits() || r.offset == d.sender(c).acked_offset))
        black_hole_.compare_unseen(passing(d, c, r), d.times.silence_before(c, r.segment->time));
    if (r.repeats)
        repeat(d, c, r, true, at, out);
    else if (below && r.new_bytes == 0)
        repeat(d, c, r, false, at, out); // the hole had been given up
    else if (below)
        late_fill(d, c, r, at, out);
    else {
        undecided_.sent_new(*r.segment, d.acks().number(), loss_);
        unseen_tail(d, c, r, at);
    }
}

// Finds the class of a repeat by what its sender knew, and sets the sender's state after it.
void SenderRepeats::judge(const Direction &d, const SendCircumstances &at, UndecidedRepeat &u,
                          std::optional<Duration> since_last_copy) {
    const AckSeen &k = d.acks().known();
    RepeatEvidence e;
    e.oldest = u.record.offset <= k.acked;
    e.last = u.end >= d.track.sent_log().end();
    e.signalled = k.highest() > u.end || k.duplicates > 0 || loss_.in_recovery();
    e.prompt = at.release_frame && at.prompt;
    e.in_loss = loss_.lost_by_timeout(u.record.offset);
    e.probes = loss_.probes();
    e.since_last_copy = since_last_copy;
    e.round_trip = d.times.round_trip();
    std::optional<Time> last = d.track.sent_log().last();
    if (d.acks().at(d.acks().number()) != nullptr)
        last = std::max(last, std::optional(k.time));
    e.silence = last ? std::max(Duration{}, u.record.time - *last) : Duration{};
    const RepeatVerdict v = judge_repeat(e);
    u.record.kind = v.kind;
    u.record.signal_frame = v.kind == RetransmissionClass::fast ? known_frame(k.frame) : std::nullopt;
    u.expiry = v.expiry;
    u.maybe_probe = v.maybe_probe;
    loss_.repeated(v, d.track.sent_log().end(), u.record.time);
}

// Keeps the repeat until its class is final, and enters it into the circumstances.
void SenderRepeats::await(const Direction &d, const Connection &c, const UndecidedRepeat &u,
                          SendCircumstances &at) {
    at.kind = u.record.kind;
    at.recovers = u.record.kind != RetransmissionClass::spurious;
    at.verdict_open = at.recovers && d.receiver(c).seen;
    at.attempt = u.record.attempt;
    at.original_frame = u.record.original_frame;
    at.original_time = u.record.original_time;
    at.signal_frame = u.record.signal_frame;
    undecided_.add(u);
}

void SenderRepeats::repeat(Direction &d, const Connection &c, const SegmentReport &r, bool original_seen,
                           SendCircumstances &at, DirectionSink &out) {
    const Segment &s = *r.segment;
    const std::uint64_t to = std::min(r.offset + s.payload_length, d.track.sent_log().end());
    UndecidedRepeat u = repeat_of(d, c, r, to);
    TcpRetransmission &record = u.record;
    record.place = original_seen ? LossPlace::behind_tap : LossPlace::unknown;
    std::optional<Duration> since_last_copy;
    const BlackHole::Passing now = passing(d, c, r);
    now.sent.visit(r.offset, to, [&](SentLog::Sent &e) {
        if (!record.original_frame) {
            record.original_frame = known_frame(e.frame);
            record.original_time = e.first;
            record.delay = s.time - e.first;
            record.attempt = e.repeats + 1U;
            if (e.flight > 0)
                record.flight = e.flight;
        }
        const std::optional<Time> last_copy = now.sent.repeated(e, s.time);
        if (last_copy && !since_last_copy)
            since_last_copy = s.time - *last_copy;
        if (e.end() > now.acked)
            BlackHole::repeated(now, e);
    });
    black_hole_.compare(now);
    judge(d, at, u, since_last_copy);
    const OptionalFrame signal = record.signal_frame;
    d.tally.troubles().retransmitted_bytes += record.length;
    u.loss_shown = hole_reported(d, d.acks().latest(), r.offset, to);
    // The echo of an older stamp is conclusive only if the receiver had acknowledged everything before these
    // bytes; otherwise it echoes an older stamp anyway (RFC 7323 section 4.3).
    u.echo_conclusive = s.options.has_timestamps && now.acked >= r.offset && now.acked < to;
    if (now.acked >= to) { // the original had been acknowledged when the repeat passed
        u.acked_at = s.time;
        u.was_spurious(signal);
    }
    await(d, c, u, at);
    if (undecided_.full()) {
        settle(d, c, s.time, true, out);
        at.verdict_open = false;
    }
}

void SenderRepeats::late_fill(Direction &d, const Connection &c, const SegmentReport &r,
                              SendCircumstances &at, DirectionSink &out) {
    const Segment &s = *r.segment;
    const std::uint64_t end = d.track.sent_log().end(), to = std::min(r.offset + s.payload_length, end);
    SentLog &sent = d.track.sent_log();
    const SentLog::Sent *behind = sent.first_from(r.offset);
    TcpReordering reordered;
    if (behind != nullptr && is_reordered(c, s, *behind, sent.timestamp_step(), reordered.proof)) {
        reordered.stream = c.stream;
        reordered.sender = d.times.sender();
        reordered.frame = s.frame;
        reordered.overtaken_by = behind->frame;
        reordered.time = s.time;
        reordered.delay = std::max(Duration{}, s.time - behind->first);
        sent.visit(to, end, [&](const SentLog::Sent &e) {
            ++reordered.segments;
            reordered.bytes += e.length;
        });
        TcpDirectionTroubles &troubles = d.tally.troubles();
        if (troubles.reorderings++ == 0)
            troubles.first_reordering = s.frame;
        troubles.reordering_segments = std::max(troubles.reordering_segments, reordered.segments);
        troubles.reordering_delay = std::max(troubles.reordering_delay, reordered.delay);
        at.overtaken = true;
        out.reordering(c, reordered);
    } else {
        UndecidedRepeat u = repeat_of(d, c, r, to);
        u.record.place = LossPlace::before_tap;
        if (behind != nullptr) {
            u.record.delay = s.time - behind->first;
            const std::uint64_t own = behind->length;
            if (behind->flight > own)
                u.record.flight = behind->flight - own;
        }
        judge(d, at, u, std::nullopt);
        await(d, c, u, at);
    }
    sent.add_late(s, r.offset, to);
}

// The last segments of a run may be lost before the tap without leaving a hole: their repeats look like new
// data after a silence. IP identifications that are missing reveal the loss. Before a retransmission timeout
// can have expired, a pure ACK that was lost would leave the same trace; but behind a full segment the sender
// had more to send, and it would not have waited for a round trip with it. A segment without payload proves
// the loss as well: its sequence number is the next one to send, above all that was sent before. In a file
// that holds no ACKs without data, those of the handshake aside, what is missing may be one (an export).
void SenderRepeats::unseen_tail(const Direction &d, const Connection &c, const SegmentReport &r,
                                SendCircumstances &at) {
    const SentLog &sent = d.track.sent_log();
    const bool announced = announced_ > r.offset;
    if ((left_out_ == 0 && !announced) || !sent.last() || r.offset != sent.end())
        return;
    constexpr std::uint64_t of_handshake = 2; // SYN/ACK and the third step
    if (!announced && own_acks_ + d.figures().pure_acks <= of_handshake)
        return;
    const Segment &s = *r.segment;
    const Duration silence = d.times.silence_before(c, s.time);
    if (!announced && !explains(left_out_, silence, d.times.round_trip())) {
        ids_.found_shared();
        return;
    }
    const SentLog::Sent *before = d.track.sent_log().holding(sent.end() - 1);
    const auto full = d.figures().full_segment;
    const bool had_more = before != nullptr && full && before->length % *full == 0;
    const bool probe = silence < min_timeout;
    if (probe && !((announced || had_more) && silence >= d.times.round_trip()))
        return;
    UndecidedRepeat u = repeat_of(d, c, r, r.offset + s.payload_length);
    u.record.kind = probe ? RetransmissionClass::tail_probe : RetransmissionClass::timeout;
    u.record.place = LossPlace::before_tap;
    u.expiry = !probe;
    u.maybe_probe = !probe && left_out_ == 1;
    if (!probe) // one such repeat does not prove that the sender uses tail loss probes
        loss_.repeated({u.record.kind, true}, sent.end(), s.time);
    await(d, c, u, at); // its attempt is at least one: the number of repeats is unknown
}

void SenderRepeats::acked(Direction &d, const Segment &s, std::uint64_t offset, bool sack) {
    black_hole_.acked(offset, s.time, d.tally);
    undecided_.acked(s, offset, sack);
}

void SenderRepeats::answered(const Direction &d, const AckSeen &a) {
    undecided_.hole_reported(
        [&](std::uint64_t from, std::uint64_t to) { return hole_reported(d, a, from, to); });
}

void SenderRepeats::duplicate_received(Direction &d, std::uint64_t from, std::uint64_t to,
                                       FrameNumber frame) {
    if (!undecided_.duplicate_received(from, to, frame) && d.tally.troubles().duplicates_received++ == 0)
        d.tally.troubles().first_duplicate = frame;
}

void SenderRepeats::ended(Direction &d, const Connection &c, Time at) {
    BlackHole::ended({.sent = d.track.sent_log(),
                      .board = d.track.board(),
                      .tally = d.tally,
                      .acked = d.sender(c).acked_offset,
                      .sent_to = d.track.sent_log().end(),
                      .time = at});
}

void SenderRepeats::settle(Direction &d, const Connection &c, Time now, bool all, DirectionSink &out) {
    // A DSACK comes when the second copy arrives: within a round trip of the ACK for the first.
    const Duration grace = 2 * d.times.round_trip() + 500ms;
    undecided_.settle(now, grace, all || !d.receiver(c).seen, loss_.probes(), d.tally,
                      [&](const TcpRetransmission &record) { out.retransmission(c, record); });
}

} // namespace iscsiscope
