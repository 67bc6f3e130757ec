// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/gaps/gap_tracker.h"

#include "analyzer/cycles/gaps/held_by_tcp.h"

#include <algorithm>
#include <chrono>

namespace iscsiscope {
namespace {

constexpr Duration floor_threshold = std::chrono::microseconds{100}; // docs/figures.md, "Idle gap"

// True if an interval of this length is a gap. rtt_share: PayloadInterval's. spacing: what is usual in the
// run that its last frame continues; null: that is no run, or not known. threshold: set by the user.
bool is_gap(Duration interval, Duration rtt_share, const SpacingRing *spacing,
            std::optional<Duration> threshold) {
    if (threshold)
        return interval > *threshold;
    return interval > floor_threshold && interval > rtt_share &&
           (spacing == nullptr || spacing->exceeded_by(interval));
}

} // namespace

void GapTracker::on_segment(const GapContext &context, const SegmentReport &report,
                            std::optional<Duration> threshold, const CommandWindow *window) {
    segments_.sent(report.side);
    if (report.ack_advanced)
        on_acknowledgment(context, report);
    const Segment &segment = *report.segment;
    if (segment.payload_length != 0 && !report.probe)
        on_payload(context, report, threshold, window);
    else if (report.ack_advanced)
        interval_.acknowledged(report.side);
    if ((segment.flags & tcp_rst) != 0)
        end(context, GapEnd::reset, segment.time, segment.frame, threshold);
    else if ((segment.flags & tcp_fin) != 0)
        end(context, GapEnd::fin, segment.time, segment.frame, threshold);
    command_wait_.frame_done();
}

void GapTracker::on_acknowledgment(const GapContext &context, const SegmentReport &report) {
    const Side side = other(report.side);
    const ConnectionEnd &sender = context.tcp.end(side);
    Direction &direction = directions_[index(side)];
    direction.small.acknowledged(sender.acked_offset, report.segment->time, report.segment->frame);
    if (const auto missed_from = direction.passed.acknowledged(sender, interval_.open()))
        missed_.acknowledged(side, *missed_from, report.segment->frame);
}

void GapTracker::on_payload(const GapContext &context, const SegmentReport &report,
                            std::optional<Duration> threshold, const CommandWindow *window) {
    Direction &direction = directions_[index(report.side)];
    const bool small = is_small(context.tcp, report);
    Time now = report.segment->time;
    bool gap = false;
    missed_.arrived(report.side, report.offset);
    if (interval_.open()) {
        now = interval_.end_at(now);
        const Duration interval = now - interval_.start();
        const bool continues = interval_.continued_by(report);
        const SpacingRing *spacing = continues ? direction.spacing.get() : nullptr;
        gap = is_gap(interval, interval_.rtt_share(), spacing, threshold);
        // Only full segments follow each other at the pace of the link: after a smaller one the sender may
        // have waited for something else.
        if (continues && !direction.small.last_small()) {
            if (!direction.spacing)
                direction.spacing = std::make_unique<SpacingRing>();
            direction.spacing->add(interval);
        }
        if (!gap)
            note_interval(context, report, now, continues);
    }
    const bool window_closed = command_wait_.closed();
    if (window != nullptr)
        command_wait_.window(*window, context.tcp, context.initiator, report.side, now);
    if (gap)
        found(context, report, small, window_closed, now);
    note_payload(context, report, small, now);
}

// Counts the interval since the last payload frame, which is no gap.
inline void GapTracker::note_interval(const GapContext &context, const SegmentReport &report, Time now,
                                      bool continues) const {
    const Side target = other(context.initiator);
    context.ledger.run(interval_.to(context, report.side, now), report.segment->payload_length,
                       !continues                                  ? Continues::nothing
                       : directions_[index(report.side)].last_full ? Continues::full_segment
                                                                   : Continues::small_segment,
                       (context.sending != nullptr && directions_[index(report.side)].last_full &&
                        held_by_tcp(*context.sending)) ||
                           directions_[index(target)].small.holds(
                               context.tcp.end(target).rtt.minimum.value_or(Duration{}), now));
}

// Records the segment as the last payload that passed: an interval begins.
inline void GapTracker::note_payload(const GapContext &context, const SegmentReport &report, bool small,
                                     Time now) {
    const Connection &tcp = context.tcp;
    Direction &direction = directions_[index(report.side)];
    const std::uint64_t end_offset = report.offset + report.segment->payload_length;
    direction.passed.payload(end_offset, now, tcp.end(report.side).unseen_bytes);
    direction.small.sent(tcp, report, small, context.ledger.work_since(report.side != context.initiator),
                         now);
    missed_.clear();
    segments_.mark();
    interval_.begin(context, report, end_offset, now);
    direction.largest = std::max(direction.largest, report.segment->payload_length);
    direction.last_full =
        fills_segment(tcp, report, direction.largest, context.ranges[index(report.side)].end() > end_offset);
}

bool GapTracker::continue_run(const GapContext &context, const SegmentReport &report,
                              std::optional<Duration> threshold) {
    Direction &direction = directions_[index(report.side)];
    if (!interval_.open() || !interval_.continued_by(report) || direction.small.last_small() ||
        !direction.spacing || is_small(context.tcp, report))
        return false;
    const Time now = interval_.end_at(report.segment->time);
    const Duration interval = now - interval_.start();
    if (interval > threshold.value_or(floor_threshold))
        return false;
    segments_.sent(report.side);
    direction.spacing->add(interval);
    note_interval(context, report, now, true);
    note_payload(context, report, false, now);
    return true;
}

void GapTracker::on_command(CmdSn cmd_sn, Time first_seen) {
    if (command_wait_.command(cmd_sn, first_seen))
        pending_.command_waited();
}

void GapTracker::end(const GapContext &context, GapEnd by, Time at, FrameNumber frame,
                     std::optional<Duration> threshold) {
    if (by == GapEnd::reset || by == GapEnd::relogin || by == GapEnd::reuse)
        pending_.given_up(segments_);
    if (!interval_.open())
        return;
    interval_.close();
    const Time now = interval_.end_at(at);
    const Duration limit = threshold ? *threshold : std::max(floor_threshold, interval_.rtt_share());
    if (now - interval_.start() <= limit)
        return;
    PendingGap gap;
    gap.before = interval_.frame();
    if (by != GapEnd::capture_end)
        gap.after = frame;
    gap.parts = context.ledger.wait(interval_.to(context, interval_.sender(), now));
    gap.evidence.ended_by = by;
    gap.evidence.start = interval_.start();
    gap.evidence.end = now;
    gap.evidence.start_answered = interval_.answered();
    gap.evidence.unanswered = now - interval_.start();
    missed_.describe(gap.evidence);
    hand_on(context, gap, now);
}

// The interval that this payload frame ends is a gap.
void GapTracker::found(const GapContext &context, const SegmentReport &report, bool small, bool window_closed,
                       Time now) {
    const PassedBytes &passed = directions_[index(report.side)].passed;
    const Side peer = other(report.side), target = other(context.initiator);
    PendingGap gap;
    gap.side = report.side;
    gap.before = interval_.frame();
    gap.after = report.segment->frame;
    gap.owner_wanted = true;
    gap.owner_offset = report.new_bytes > 0 ? report.first_new_offset : report.offset;
    gap.opened_hole = passed.leaves_hole(report);
    gap.unseen_mark = passed.unseen_mark();
    gap.verdict_open = context.sending != nullptr && context.sending->verdict_open;
    gap.peer_segments = segments_.at_last_payload(peer);
    gap.peer_awaited = passed.seen() && segments_.silent_since_payload(peer) &&
                       passed.end() > context.tcp.end(report.side).acked_offset;
    gap.parts = context.ledger.wait(interval_.to(context, report.side, now));
    // What the target has to send, Nagle's algorithm holds until its last small segment is acknowledged.
    const Duration own = directions_[index(target)].small.not_held(
        gap.parts.at_target, context.tcp.end(target).rtt.minimum.value_or(Duration{}), now);
    gap.parts.by_nagle = gap.parts.at_target - own;
    gap.parts.at_target = own;
    describe(context, report, small, now, gap.evidence);
    const Outage::Verdict verdict =
        outage_.judge(gap.evidence, gap.opened_hole,
                      segments_.of(report.side) == segments_.at_last_payload(report.side) + 1);
    gap.maybe_down = verdict == Outage::Verdict::perhaps;
    gap.evidence.path_broke = verdict == Outage::Verdict::outage;
    if (gap.evidence.path_broke)
        pending_.path_down(gap.side, segments_);
    if (!command_wait_.waited() && window_closed && report.side != context.initiator)
        gap.window_opened_until = command_wait_.opening_until();
    hand_on(context, gap, now);
}

// Sets what is known of the gap that this payload frame ends.
void GapTracker::describe(const GapContext &context, const SegmentReport &report, bool small, Time now,
                          GapEvidence &e) const {
    const Direction &direction = directions_[index(report.side)];
    const PassedBytes &passed = direction.passed, &peer = directions_[index(other(report.side))].passed;
    e.start = interval_.start();
    e.end = now;
    e.start_answered = interval_.answered();
    e.repeats = report.repeats;
    e.fills_hole = report.out_of_order && !report.repeats && report.offset < passed.end();
    missed_.describe(e);
    e.tasks_open = context.tasks_open;
    if (context.sending != nullptr)
        e.tcp = *context.sending;
    const HostSeen *receiver =
        context.tcp.hosts != nullptr ? &context.tcp.hosts->of[index(other(report.side))] : nullptr;
    e.path_silent = passed.seen() && receiver != nullptr && receiver->silent_in(e.start, e.end);
    e.unanswered = receiver != nullptr ? receiver->unanswered_in(e.start, e.end) : e.end - e.start;
    direction.small.describe(e, small);
    e.peer_sent_payload = peer.seen() && peer.last() > direction.small.at();
    e.last_sent = passed.last();
    e.rtt_to_sender = context.tcp.end(report.side).rtt.minimum;
    e.rtt_to_receiver = context.tcp.end(other(report.side)).rtt.minimum;
    e.waited_for_window = command_wait_.waited();
}

void GapTracker::hand_on(const GapContext &context, const PendingGap &gap, Time now) {
    history_.add(gap.evidence.start, gap.evidence.end);
    pending_.push(context, gap, segments_, now);
}

} // namespace iscsiscope
