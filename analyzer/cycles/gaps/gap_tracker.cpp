// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/gaps/gap_tracker.h"

#include "analyzer/cycles/gaps/evidence/prompt.h"
#include "analyzer/cycles/gaps/gap_classifier.h"
#include "analyzer/cycles/gaps/gap_proof.h"
#include "analyzer/cycles/gaps/held_by_tcp.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace iscsiscope {
namespace {

using namespace std::chrono_literals;

constexpr std::uint8_t nagle_shown = 4;     // small segments that an ACK released
constexpr Duration floor_threshold = 100us; // docs/figures.md, "Idle gap"

// Payload bytes of a full segment of this side, 0 if unknown: the other end's MSS less the twelve bytes that
// the timestamps option takes of each segment (RFC 7323 appendix A).
std::uint32_t full_segment(const Connection &tcp, Side sender) {
    const std::uint32_t mss = tcp.end(other(sender)).mss;
    const std::uint32_t options = tcp.end(sender).timestamps ? 12 : 0;
    return mss > options ? mss - options : 0;
}

// True if the segment, or the last part of an offloaded super-segment, is not full. False without known MSS.
bool is_small(const Connection &tcp, const SegmentReport &report) {
    const std::uint32_t length = report.segment->payload_length;
    const std::uint32_t full = full_segment(tcp, report.side);
    return full != 0 && length != full && (length < full || length % full != 0);
}

} // namespace

void GapTracker::on_segment(const GapContext &context, const SegmentReport &report,
                            std::optional<Duration> threshold, const CommandWindow *window) {
    ++directions_[index(report.side)].segments;
    if (report.ack_advanced)
        on_acknowledgment(context, report);
    const Segment &segment = *report.segment;
    if (segment.payload_length != 0 && !report.probe)
        on_payload(context, report, threshold, window);
    if ((segment.flags & tcp_rst) != 0)
        end(context, GapEnd::reset, segment.time, segment.frame, threshold);
    else if ((segment.flags & tcp_fin) != 0)
        end(context, GapEnd::fin, segment.time, segment.frame, threshold);
    command_waited_ = false;
}

void GapTracker::on_acknowledgment(const GapContext &context, const SegmentReport &report) {
    const Side sender = other(report.side);
    Direction &direction = directions_[index(sender)];
    if (!direction.seen) {
        note_unseen_direction(context, report);
        return;
    }
    const std::uint64_t acked = context.tcp.end(sender).acked_offset;
    if (direction.small_end > 0 && !direction.small_acked && acked >= direction.small_end) {
        direction.small_acked = report.segment->time;
        direction.small_ack_frame = report.segment->frame;
    }
    if (acked > direction.high_end && armed_) {
        missed(sender, direction.high_end, report); // an ACK for data that no frame holds
        direction.high_end = acked;
    }
}

void GapTracker::missed(Side sender, std::uint64_t from, const SegmentReport &acknowledged_by) {
    missed_ = true;
    missed_side_ = sender;
    missed_frame_ = acknowledged_by.segment->frame;
    missed_from_ = from;
}

// Handles an ACK for a direction of which nothing has been seen: the capture may hold one direction only.
void GapTracker::note_unseen_direction(const GapContext &context, const SegmentReport &report) {
    const Side sender = other(report.side);
    Direction &direction = directions_[index(sender)];
    const std::uint64_t unseen = context.tcp.end(sender).unseen_bytes;
    if (unseen > direction.unseen_mark && armed_)
        missed(sender, 0, report);
    direction.unseen_mark = unseen;
}

void GapTracker::on_payload(const GapContext &context, const SegmentReport &report,
                            std::optional<Duration> threshold, const CommandWindow *window) {
    const Segment &segment = *report.segment;
    Direction &direction = directions_[index(report.side)];
    Time now = segment.time;
    bool gap = false;
    // A mirror port may show an ACK before the data it covers.
    if (missed_ && report.side == missed_side_ && report.offset <= missed_from_)
        missed_ = false;
    if (armed_) {
        now = std::max(now, last_); // no interval is negative
        const Duration interval = now - last_;
        const bool continues = report.side == last_side_ && report.offset == last_end_;
        if (threshold)
            gap = interval > *threshold;
        else if (interval > floor_threshold && interval > rtt_share_)
            gap = exceeds_default(interval, continues, direction);
        // Only full segments follow each other at the pace of the link: after a smaller one the sender may
        // have waited for something else.
        if (continues && !direction.last_small) {
            if (!direction.spacing)
                direction.spacing = std::make_unique<SpacingRing>();
            direction.spacing->add(interval);
        }
    }
    if (armed_ && !gap)
        note_interval(context, report, now, report.side == last_side_ && report.offset == last_end_);
    if (window != nullptr) {
        const bool closed = window->closed();
        const std::optional<Duration> to_initiator = context.tcp.end(context.initiator).rtt.minimum;
        if (window_closed_ && !closed && report.side != context.initiator && to_initiator)
            window_opened_until_ =
                now + prompt_within(*to_initiator, context.tcp.end(other(context.initiator)).rtt.minimum);
        if (closed && window->max())
            window_max_ = *window->max();
        if (gap)
            begin_pending(context, report, now);
        window_closed_ = closed;
    } else if (gap) {
        begin_pending(context, report, now);
    }

    note_size(context.tcp, report, direction);
    note_payload(context, report, now);
}

IntervalEnd GapTracker::interval_to(const GapContext &context, Side sender, Time now) const {
    IntervalEnd end{last_, now, sender != context.initiator, context.sent_by, {}};
    if (context.target_activity != nullptr)
        end.others = context.target_activity->rate.time_of(context.others - others_mark_);
    return end;
}

// Counts the interval since the last payload frame, which is no gap.
void GapTracker::note_interval(const GapContext &context, const SegmentReport &report, Time now,
                               bool continues) {
    const bool held = context.sending != nullptr && held_by_tcp(*context.sending);
    context.owners.run(context.tcp.stream, interval_to(context, report.side, now),
                       report.segment->payload_length, continues, held, context.sink);
}

// Records the segment as the last payload that passed.
inline void GapTracker::note_payload(const GapContext &context, const SegmentReport &report, Time now) {
    const Connection &tcp = context.tcp;
    others_mark_ = context.others;
    const ConnectionEnd &sender = tcp.end(report.side), &receiver = tcp.end(other(report.side));
    Direction &direction = directions_[index(report.side)];
    const std::uint64_t end_offset = report.offset + report.segment->payload_length;
    direction.high_end = direction.seen ? std::max(direction.high_end, end_offset) : end_offset;
    direction.unseen_mark = sender.unseen_bytes;
    direction.last = now;
    // To the sender the segment was unacknowledged until the ACK had travelled from the tap to the sender.
    direction.small_unacked =
        direction.small_end > 0 &&
        (!direction.small_acked || now < *direction.small_acked + sender.rtt.minimum.value_or(Duration{}));
    direction.seen = true;
    armed_ = true;
    missed_ = false;
    last_ = now;
    last_frame_ = report.segment->frame;
    last_side_ = report.side;
    last_end_ = end_offset;
    for (Direction &d : directions_)
        d.segments_mark = d.segments;
    const auto &a = sender.rtt.minimum, &b = receiver.rtt.minimum;
    rtt_share_ = a && b ? (*a + *b) / 8 : Duration{-1};
}

bool GapTracker::continue_run(const GapContext &context, const SegmentReport &report,
                              std::optional<Duration> threshold) {
    const Connection &tcp = context.tcp;
    Direction &direction = directions_[index(report.side)];
    if (!armed_ || report.side != last_side_ || report.offset != last_end_ || direction.last_small ||
        !direction.spacing || is_small(tcp, report))
        return false;
    const Time now = std::max(report.segment->time, last_);
    const Duration interval = now - last_;
    if (interval > threshold.value_or(floor_threshold))
        return false;
    ++direction.segments;
    direction.spacing->add(interval);
    note_interval(context, report, now, true);
    note_payload(context, report, now);
    return true;
}

void GapTracker::note_size(const Connection &tcp, const SegmentReport &report, Direction &direction) {
    direction.last_small = is_small(tcp, report);
    if (!direction.last_small || report.repeats)
        return;
    // An ACK passes the tap before it reaches the sender: the sender had none for the small segment before.
    if (direction.small_end > tcp.end(report.side).acked_offset)
        direction.no_delay = true;
    else if (const auto &loop = tcp.end(report.side).rtt.minimum;
             direction.small_acked && loop && direction.small_released < 255 &&
             report.segment->time - *direction.small_acked <=
                 prompt_within(*loop, tcp.end(other(report.side)).rtt.minimum))
        ++direction.small_released;
    direction.small_end = report.offset + report.segment->payload_length;
    direction.small_acked.reset();
    direction.small_frame = report.segment->frame;
    direction.small_ack_frame = 0;
    direction.small_at = report.segment->time;
}

bool GapTracker::exceeds_default(Duration interval, bool continues, const Direction &direction) const {
    return !continues || !direction.spacing || direction.spacing->exceeded_by(interval);
}

void GapTracker::begin_pending(const GapContext &context, const SegmentReport &report, Time now) {
    const Direction &direction = directions_[index(report.side)];
    Pending gap;
    gap.side = report.side;
    gap.before = last_frame_;
    gap.after = report.segment->frame;
    gap.owner_wanted = true;
    gap.owner_offset = report.new_bytes > 0 ? report.first_new_offset : report.offset;
    gap.opened_hole = direction.seen && report.new_bytes > 0 && report.offset > direction.high_end;
    gap.unseen_mark = direction.unseen_mark;
    gap.verdict_open = context.sending != nullptr && context.sending->verdict_open;
    const Direction &peer = directions_[index(other(report.side))];
    gap.peer_segments = peer.segments_mark;
    gap.peer_awaited = direction.seen && peer.segments != 0 && peer.segments == peer.segments_mark &&
                       direction.high_end > context.tcp.end(report.side).acked_offset;

    gap.parts = context.owners.wait(interval_to(context, report.side, now), context.sink);
    // Nagle's algorithm holds what the target has to send until its last small segment is acknowledged.
    if (const Direction &target = directions_[index(other(context.initiator))];
        target.small_unacked && !target.no_delay && target.small_released >= nagle_shown)
        gap.parts.at_target = target.small_acked ? std::min(gap.parts.at_target,
                                                            std::max(Duration{}, now - *target.small_acked))
                                                 : Duration{};
    GapEvidence &e = gap.evidence;
    e.start = last_;
    e.end = now;
    e.repeats = report.repeats;
    e.fills_hole = report.out_of_order && !report.repeats && report.offset < direction.high_end;
    e.bytes_missed = missed_;
    e.missed_ack_frame = missed_frame_;
    e.tasks_open = context.tasks_open;
    if (context.sending != nullptr)
        e.tcp = *context.sending;
    e.path_silent = direction.seen && context.peer_activity != nullptr &&
                    context.peer_activity->silent_in(e.start, e.end);
    note_outage(gap);
    e.small_frame = direction.small_frame;
    e.small_ack_frame = direction.small_ack_frame;
    e.small_acked = direction.small_acked;
    e.peer_sent_payload = peer.seen && peer.last > direction.small_at;
    e.last_sent = direction.last;
    e.tail_held_by_nagle = direction.small_unacked && is_small(context.tcp, report) && !direction.no_delay;
    e.nagle_seen = !direction.no_delay && direction.small_released >= nagle_shown;
    e.rtt_to_sender = context.tcp.end(report.side).rtt.minimum;
    e.rtt_to_receiver = context.tcp.end(other(report.side)).rtt.minimum;
    if (command_waited_)
        e.waited_for_window = true;
    else if (window_closed_ && window_opened_until_ && report.side != context.initiator)
        gap.window_opened_until = window_opened_until_;
    push(context, std::move(gap), now);
}

// Decides whether the gap belongs to an outage of the path: timeouts whose retransmissions get no answer
// while the whole path is silent, from the second one on. If the tap is beyond the outage the first
// retransmissions do not pass it, but a sender that waited three seconds has retransmitted before: the first
// timeout is at most one second, and it doubles (RFC 6298 sections 2 and 5.5).
void GapTracker::note_outage(Pending &gap) {
    constexpr Duration second_timeout = 3s;
    GapEvidence &e = gap.evidence;
    const bool timed_out = e.tcp.recovers && e.tcp.kind == RetransmissionClass::timeout;
    // The gap follows the last outage directly, and ends with a further timeout or with bytes behind a hole.
    const bool same_outage = e.start == outage_end_ && (timed_out || gap.opened_hole);
    if (!same_outage && !(timed_out && e.path_silent))
        return;
    if (!same_outage && e.tcp.attempt < 2 && e.end - e.start < second_timeout) {
        gap.maybe_down = true;
        return;
    }
    e.path_broke = true;
    outage_end_ = e.end;
    for (std::size_t i = 0; i < pending_.size(); ++i)
        if (pending_[i].maybe_down && pending_[i].side == gap.side && peer_silent(pending_[i]))
            pending_[i].evidence.path_broke = true;
}

void GapTracker::push(const GapContext &context, Pending gap, Time now) {
    history_.add(gap.evidence.start, gap.evidence.end);
    if (pending_.empty() && ready(context, gap, now)) {
        emit(context, gap);
        return;
    }
    verdicts_open_ += gap.verdict_open ? 1 : 0;
    pending_.push(std::move(gap));
    flush(context, now, false);
    if (pending_.size() > max_pending)
        emit_front(context);
}

void GapTracker::settled(const TcpRetransmission &verdict) {
    for (std::size_t i = 0; verdicts_open_ != 0 && i < pending_.size(); ++i) {
        Pending &gap = pending_[i];
        if (!gap.verdict_open || gap.after != verdict.frame || gap.side != verdict.sender)
            continue;
        gap.verdict_open = false;
        --verdicts_open_;
        gap.evidence.tcp.kind = verdict.kind;
        gap.evidence.tcp.recovers = verdict.kind != RetransmissionClass::spurious;
        return;
    }
}

Time GapTracker::unsettled_from() const {
    for (std::size_t i = 0; verdicts_open_ != 0 && i < pending_.size(); ++i)
        if (pending_[i].verdict_open)
            return pending_[i].evidence.start;
    return Time::max();
}

void GapTracker::on_command(CmdSn cmd_sn, Time first_seen) {
    if (!window_opened_until_)
        return;
    if (cmd_sn > window_max_ && first_seen <= *window_opened_until_) {
        command_waited_ = true;
        for (std::size_t i = pending_.size(); i > 0; --i)
            if (pending_[i - 1].window_opened_until) {
                pending_[i - 1].window_opened_until.reset();
                pending_[i - 1].evidence.waited_for_window = true;
                break;
            }
    }
    window_opened_until_.reset();
}

void GapTracker::end(const GapContext &context, GapEnd by, Time at, FrameNumber frame,
                     std::optional<Duration> threshold) {
    if (by == GapEnd::reset || by == GapEnd::relogin || by == GapEnd::reuse)
        for (std::size_t i = 0; i < pending_.size(); ++i)
            if (pending_[i].peer_awaited && peer_silent(pending_[i]))
                pending_[i].evidence.path_broke = true;
    if (!armed_)
        return;
    armed_ = false;
    const Time now = std::max(at, last_);
    const Duration limit = threshold ? *threshold : std::max(floor_threshold, rtt_share_);
    if (now - last_ <= limit)
        return;
    Pending gap;
    gap.before = last_frame_;
    gap.after = by == GapEnd::capture_end ? 0 : frame;
    gap.parts = context.owners.wait(interval_to(context, last_side_, now), context.sink);
    gap.evidence.ended_by = by;
    gap.evidence.start = last_;
    gap.evidence.end = now;
    gap.evidence.bytes_missed = missed_;
    gap.evidence.missed_ack_frame = missed_frame_;
    push(context, std::move(gap), now);
}

// Finds the PDU of the byte that ended the gap. Returns false if its header has not been delivered yet.
bool GapTracker::find_owner(const GapContext &context, Pending &gap) {
    if (!gap.owner_wanted)
        return true;
    const PduRanges &ranges = context.ranges[index(gap.side)];
    if (const PduRange *range = ranges.at(gap.owner_offset)) {
        gap.evidence.role = range->role;
        gap.evidence.at_pdu_start = range->start == gap.owner_offset;
        if (range->task_index != no_task)
            gap.cycle = range->cycle;
    } else if (ranges.end() <= gap.owner_offset) {
        return false;
    }
    gap.owner_wanted = false;
    // The hole before the ending frame's bytes was never filled.
    if (gap.opened_hole && context.tcp.end(gap.side).unseen_bytes > gap.unseen_mark)
        gap.evidence.bytes_missed = true;
    return true;
}

bool GapTracker::ready(const GapContext &context, Pending &gap, Time now) const {
    if (!find_owner(context, gap))
        return false;
    if (gap.verdict_open && !gap.evidence.path_broke)
        return false;
    if ((gap.peer_awaited || gap.maybe_down) && !gap.evidence.path_broke && peer_silent(gap))
        return false;
    if (gap.window_opened_until && now <= *gap.window_opened_until)
        return false;
    // Whether the gap lies inside the active life must be certain: its end is, or the life has not begun.
    return !context.life.started() || context.tasks_open || context.life.end() >= gap.evidence.end;
}

void GapTracker::flush(const GapContext &context, Time now, bool all) {
    while (!pending_.empty() && (ready(context, pending_.front(), now) || all)) {
        emit_front(context);
        if (pending_.empty())
            pending_.release(); // gaps are pending rarely and briefly: most connections need no memory
    }
    // Gaps behind the first may be pending for long, and PduRanges drops ranges in the meantime.
    while (owned_ < pending_.size() && find_owner(context, pending_[owned_]))
        ++owned_;
}

void GapTracker::emit_front(const GapContext &context) {
    verdicts_open_ -= pending_.front().verdict_open ? 1 : 0;
    emit(context, pending_.front());
    pending_.pop();
    owned_ -= owned_ > 0 ? 1 : 0;
}

void GapTracker::emit(const GapContext &context, Pending &gap) {
    GapRecord record;
    record.stream = context.tcp.stream;
    record.cycle = gap.cycle;
    record.start = gap.evidence.start;
    record.length = gap.evidence.end - gap.evidence.start;
    gap.evidence.one_sided = !context.tcp.ends[0].seen || !context.tcp.ends[1].seen;
    record.kind = classify(gap.evidence);
    record.proof = proof_of(record.kind, gap.evidence, gap.after);
    const bool held = record.kind == GapKind::delayed_ack;
    const bool by_nagle = record.kind == GapKind::ack_held_status || record.kind == GapKind::ack_held_data ||
                          (held && gap.evidence.tail_held_by_nagle);
    if (held || by_nagle) {
        auto &waits = directions_[index(gap.side)].waits;
        if (!waits)
            waits = std::make_unique<AckWaits>();
        if (held)
            waits->held_acks.add(record.length, gap.after);
        if (by_nagle)
            waits->nagle.add(record.length, gap.after);
    }
    record.before_frame = gap.before;
    record.after_frame = gap.after;
    if (context.tasks_open && context.life.started())
        context.life.task_end(gap.evidence.end); // the open task ends then or later
    record.active_part = context.life.part(gap.evidence.start, gap.evidence.end);
    record.in_active_life = record.active_part > Duration{};
    context.life.add_gap(record.kind, record.active_part);
    record.rtt_to_awaited = gap.evidence.rtt_to_sender;
    record.rtt_to_other = gap.evidence.rtt_to_receiver;
    gap.parts.held_by_tcp = held_by_tcp(gap.evidence);
    gap.parts.repaired = gap.evidence.repeats || gap.evidence.fills_hole;
    context.owners.gap(record, gap.parts, gap.side != context.initiator, context.sink);
    context.sink.on_gap(record);
}

} // namespace iscsiscope
