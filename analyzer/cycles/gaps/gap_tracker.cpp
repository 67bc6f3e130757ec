// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/gaps/gap_tracker.h"

#include "analyzer/cycles/gaps/held_by_tcp.h"
#include "analyzer/cycles/tasks/task_table.h"
#include "analyzer/tcp/hosts/host_moment.h"

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

void GapTracker::on_segment(const SegmentEvent &event, std::optional<Time> sent_by,
                            const CommandWindow *window) {
    const SegmentReport &report = event.report;
    segments_.sent(report.side);
    if (report.ack_advanced)
        on_acknowledgment(report);
    const Segment &segment = *report.segment;
    if (segment.payload_length != 0 && !report.probe)
        on_payload({event, sent_by, is_small(around_.tcp, report), segment.time}, window);
    else if (report.ack_advanced)
        interval_.acknowledged(report.side);
    if ((segment.flags & tcp_rst) != 0)
        end(GapEnd::reset, segment.time, segment.frame, sent_by);
    else if ((segment.flags & tcp_fin) != 0)
        end(GapEnd::fin, segment.time, segment.frame, sent_by);
    command_wait_.frame_done();
}

void GapTracker::on_acknowledgment(const SegmentReport &report) {
    const Side side = other(report.side);
    const ConnectionEnd &sender = around_.tcp.end(side);
    Direction &direction = directions_[index(side)];
    direction.small.acknowledged(sender.acked_offset, report.segment->time, report.segment->frame);
    if (const auto missed_from = direction.passed.acknowledged(sender, interval_.open()))
        missed_.acknowledged(side, *missed_from, report.segment->frame);
}

void GapTracker::on_payload(Arrival a, const CommandWindow *window) {
    const SegmentReport &report = a.report();
    Direction &direction = directions_[index(report.side)];
    bool gap = false;
    missed_.arrived(report.side, report.offset);
    if (interval_.open()) {
        a.now = interval_.end_at(a.now);
        const Duration interval = a.now - interval_.start();
        const bool continues = interval_.continued_by(report);
        const SpacingRing *spacing = continues ? direction.spacing.get() : nullptr;
        gap = is_gap(interval, interval_.rtt_share(), spacing, around_.threshold);
        // Only full segments follow each other at the pace of the link: after a smaller one the sender may
        // have waited for something else.
        if (continues && !direction.small.last_small()) {
            if (!direction.spacing)
                direction.spacing = std::make_unique<SpacingRing>();
            direction.spacing->add(interval);
        }
        if (!gap)
            note_interval(a, continues);
    }
    const bool window_closed = command_wait_.closed();
    if (window != nullptr)
        command_wait_.window(*window, around_.tcp, around_.initiator, report.side, a.now);
    if (gap)
        found(a, window_closed);
    note_payload(a);
}

// Counts the interval since the last payload frame, which is no gap.
inline void GapTracker::note_interval(const Arrival &a, bool continues) const {
    const Side target = around_.target();
    const Direction &direction = directions_[index(a.event.side())];
    around_.ledger.run(interval_.to(a.event.side(), a.sent_by, a.now), a.event.segment().payload_length,
                       !continues            ? Continues::nothing
                       : direction.last_full ? Continues::full_segment
                                             : Continues::small_segment,
                       (a.event.sending != nullptr && direction.last_full && held_by_tcp(*a.event.sending)) ||
                           directions_[index(target)].small.holds(
                               around_.tcp.end(target).rtt.minimum.value_or(Duration{}), a.now));
}

// Records the segment as the last payload that passed: an interval begins.
inline void GapTracker::note_payload(const Arrival &a) {
    const Connection &tcp = around_.tcp;
    const SegmentReport &report = a.report();
    Direction &direction = directions_[index(report.side)];
    const std::uint64_t end_offset = a.event.end();
    direction.passed.payload(end_offset, a.now, tcp.end(report.side).unseen_bytes);
    direction.small.sent(tcp, report, a.small, around_.ledger.work_since(report.side != around_.initiator),
                         a.now);
    missed_.clear();
    segments_.mark();
    interval_.begin(report, end_offset, a.now);
    direction.largest = std::max(direction.largest, report.segment->payload_length);
    direction.last_full =
        fills_segment(tcp, report, direction.largest, around_.ranges[index(report.side)].end() > end_offset);
}

bool GapTracker::continue_run(const SegmentEvent &event) {
    Direction &direction = directions_[index(event.side())];
    if (!interval_.open() || !interval_.continued_by(event.report) || direction.small.last_small() ||
        !direction.spacing || is_small(around_.tcp, event.report))
        return false;
    const Time now = interval_.end_at(event.segment().time);
    const Duration interval = now - interval_.start();
    if (interval > around_.threshold.value_or(floor_threshold))
        return false;
    const Arrival a{event, std::nullopt, false, now};
    segments_.sent(event.side());
    direction.spacing->add(interval);
    note_interval(a, true);
    note_payload(a);
    return true;
}

void GapTracker::on_command(CmdSn cmd_sn, Time first_seen) {
    if (command_wait_.command(cmd_sn, first_seen))
        pending_.command_waited();
}

void GapTracker::end(GapEnd by, Time at, FrameNumber frame, std::optional<Time> sent_by) {
    if (by == GapEnd::reset || by == GapEnd::relogin || by == GapEnd::reuse)
        pending_.given_up(segments_);
    if (!interval_.open())
        return;
    interval_.close();
    const Time now = interval_.end_at(at);
    const Duration limit =
        around_.threshold ? *around_.threshold : std::max(floor_threshold, interval_.rtt_share());
    if (now - interval_.start() <= limit)
        return;
    PendingGap gap;
    gap.before = interval_.frame();
    if (by != GapEnd::capture_end)
        gap.after = frame;
    gap.parts = around_.ledger.wait(interval_.to(interval_.sender(), sent_by, now));
    gap.evidence.ended_by = by;
    gap.evidence.start = interval_.start();
    gap.evidence.end = now;
    gap.evidence.start_answered = interval_.answered();
    gap.evidence.unanswered = now - interval_.start();
    missed_.describe(gap.evidence);
    hand_on(gap, now);
}

// The interval that this payload frame ends is a gap.
void GapTracker::found(const Arrival &a, bool window_closed) {
    const SegmentReport &report = a.report();
    const PassedBytes &passed = directions_[index(report.side)].passed;
    const Side peer = other(report.side), target = around_.target();
    PendingGap gap;
    gap.side = report.side;
    gap.before = interval_.frame();
    gap.after = report.segment->frame;
    gap.owner_wanted = true;
    gap.owner_offset = report.new_bytes > 0 ? report.first_new_offset : report.offset;
    gap.opened_hole = passed.leaves_hole(report);
    gap.unseen_mark = passed.unseen_mark();
    gap.verdict_open = a.event.sending != nullptr && a.event.sending->verdict_open;
    gap.peer_segments = segments_.at_last_payload(peer);
    gap.peer_awaited = passed.seen() && segments_.silent_since_payload(peer) &&
                       passed.end() > around_.tcp.end(report.side).acked_offset;
    gap.parts = around_.ledger.wait(interval_.to(report.side, a.sent_by, a.now));
    // What the target has to send, Nagle's algorithm holds until its last small segment is acknowledged.
    const Duration own = directions_[index(target)].small.not_held(
        gap.parts.at_target, around_.tcp.end(target).rtt.minimum.value_or(Duration{}), a.now);
    gap.parts.by_nagle = gap.parts.at_target - own;
    gap.parts.at_target = own;
    describe(a, gap.evidence);
    const Outage::Verdict verdict =
        outage_.judge(gap.evidence, gap.opened_hole,
                      segments_.of(report.side) == segments_.at_last_payload(report.side) + 1);
    gap.maybe_down = verdict == Outage::Verdict::perhaps;
    gap.evidence.path_broke = verdict == Outage::Verdict::outage;
    if (gap.evidence.path_broke)
        pending_.path_down(gap.side, segments_);
    if (!command_wait_.waited() && window_closed && report.side != around_.initiator)
        gap.window_opened_until = command_wait_.opening_until();
    hand_on(gap, a.now);
}

// Sets what is known of the gap that this payload frame ends.
void GapTracker::describe(const Arrival &a, GapEvidence &e) const {
    const SegmentReport &report = a.report();
    const Direction &direction = directions_[index(report.side)];
    const PassedBytes &passed = direction.passed, &peer = directions_[index(other(report.side))].passed;
    e.start = interval_.start();
    e.end = a.now;
    e.start_answered = interval_.answered();
    e.repeats = report.repeats;
    e.fills_hole = report.out_of_order && !report.repeats && report.offset < passed.end();
    missed_.describe(e);
    e.tasks_open = around_.open.count > 0;
    if (a.event.sending != nullptr)
        e.tcp = *a.event.sending;
    const HostSeen *receiver =
        around_.tcp.hosts != nullptr ? &around_.tcp.hosts->of[index(other(report.side))] : nullptr;
    e.path_silent = passed.seen() && receiver != nullptr && receiver->silent_in(e.start, e.end);
    e.unanswered = receiver != nullptr ? receiver->unanswered_in(e.start, e.end) : e.end - e.start;
    direction.small.describe(e, a.small);
    e.peer_sent_payload = peer.seen() && peer.last() > direction.small.at();
    e.last_sent = passed.last();
    e.rtt_to_sender = around_.tcp.end(report.side).rtt.minimum;
    e.rtt_to_receiver = around_.tcp.end(other(report.side)).rtt.minimum;
    e.waited_for_window = command_wait_.waited();
}

void GapTracker::hand_on(const PendingGap &gap, Time now) {
    history_.add(gap.evidence.start, gap.evidence.end);
    pending_.push(gap, segments_, now);
}

} // namespace iscsiscope
