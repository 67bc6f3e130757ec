// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/trackers/window_tracker.h"

#include "analyzer/base/ratio.h"

#include <algorithm>

namespace iscsiscope {

// Adds the credit held from s.now to t. Records may be slightly out of order: an earlier time has no effect.
void WindowTracker::advance_to(State &s, Time t) {
    if (t <= s.now)
        return;
    if (s.running)
        s.size.add(s.now, t, s.credit);
    s.now = t;
}

void WindowTracker::set_credit(State &s, Time whole, FrameNumber frame) {
    const auto highest = s.window.highest_sent();
    if (!s.max || !highest)
        return;
    const std::int32_t left = distance(*highest, *s.max);
    s.credit = left > 0 ? static_cast<std::uint32_t>(left) : 0;
    if (!s.running) {
        s.running = true;
        s.sum.start = s.now;
        s.sum.smallest = s.sum.largest = s.credit;
    }
    s.sum.smallest = std::min(s.sum.smallest, s.credit);
    s.sum.largest = std::max(s.sum.largest, s.credit);
    if (s.credit == 0 && !s.closed_since) {
        s.closed_since = s.now;
        ++s.sum.closings;
    } else if (s.credit != 0 && s.closed_since) {
        s.opened_after = s.now - *s.closed_since;
        s.opened = whole;
        s.opening_frame = frame;
        s.sum.closed += *s.opened_after;
        s.closed_since.reset();
    }
}

void WindowTracker::arrive(State &s, Time now) {
    while (!s.in_transit.empty() && s.in_transit.front().due <= now) {
        const InTransit answer = s.in_transit.front();
        s.in_transit.pop();
        advance_to(s, answer.due);
        s.max = s.max ? newer(*s.max, answer.max) : answer.max;
        set_credit(s, answer.whole, answer.frame);
    }
}

bool WindowTracker::sent(const Member &m, const PduRecord &record) {
    const Pdu &pdu = record.pdu;
    State &s = states_.of(m.unit->root()->index);
    const HeaderView v = pdu.view();
    arrive(s, pdu.first_seen);
    // The round trip may be unknown or too long so far: a PDU that allows this command has arrived.
    while (!s.in_transit.empty() && (!s.max || *s.max < v.cmd_sn()))
        arrive(s, s.in_transit.front().due = pdu.first_seen);
    advance_to(s, pdu.header_delivered);
    if (s.opened_after) {
        const Duration round_trip =
            record.rtt_to_initiator.value_or(Duration{0}) + record.rtt_to_target.value_or(Duration{0});
        if (pdu.first_seen <= s.opened + std::max<Duration>(round_trip / 8, std::chrono::microseconds{200})) {
            s.sum.closed_waiting += *s.opened_after;
            ++s.sum.closings_waiting;
            if (*s.opened_after > s.sum.longest) {
                s.sum.longest = *s.opened_after;
                s.sum.longest_frame = s.opening_frame;
            }
        }
        s.opened_after.reset();
    }
    const bool beyond = s.window.max() && *s.window.max() < v.cmd_sn();
    // The target ignores a command beyond its window (RFC 7143 section 4.2.2.1). If connections of the
    // session may be missing from the capture, the window may have been larger.
    if (!beyond || !m.unit->certain) {
        s.window.sent(v);
        set_credit(s, s.now, pdu.frame);
    }
    return !beyond;
}

void WindowTracker::answered(const Member &m, const PduRecord &record) {
    const Pdu &pdu = record.pdu;
    State &s = states_.of(m.unit->root()->index);
    const HeaderView v = pdu.view();
    if (v.max_cmd_sn() < v.exp_cmd_sn() - 1)
        return; // RFC 7143 section 4.2.2.1: such a pair is ignored
    const auto granted = static_cast<std::uint32_t>(distance(v.exp_cmd_sn(), v.max_cmd_sn()) + 1);
    s.sum.granted_max = std::max(s.sum.granted_max, granted);
    const auto before = s.window.max();
    s.window.answered(v);
    if (s.window.max() == before)
        return;
    const Duration round_trip = record.rtt_to_initiator.value_or(Duration{0});
    arrive(s, pdu.header_delivered);
    s.in_transit.push(
        {pdu.header_delivered + round_trip, pdu.delivered + round_trip, v.max_cmd_sn(), pdu.frame});
}

void WindowTracker::join(const MemberUnit &into, const MemberUnit &from) {
    State *const joined = states_.find(from.index);
    if (joined == nullptr)
        return;
    State &s = states_.of(into.index);
    State other = std::move(*joined);
    states_.drop(from.index);
    s.window.merge(other.window);
    arrive(s, other.now);
    if (other.max)
        s.max = s.max ? newer(*s.max, *other.max) : *other.max;
    advance_to(s, other.now);
    set_credit(s, s.now, 0);
    s.sum.granted_max = std::max(s.sum.granted_max, other.sum.granted_max);
}

std::vector<WindowFigures> WindowTracker::take(const MemberTable &table) {
    std::vector<WindowFigures> all;
    for (const auto &unit : table.units()) {
        State *const kept = states_.find(unit->index);
        if (unit->joined_to != nullptr || kept == nullptr || !kept->running)
            continue;
        State s = std::move(*kept);
        states_.drop(unit->index);
        while (!s.in_transit.empty())
            arrive(s, s.in_transit.front().due);
        if (s.closed_since)
            s.sum.closed += s.now - *s.closed_since;
        s.sum.session = group_led_by(unit->session);
        s.sum.end = s.now;
        s.sum.size = s.size.track();
        const Duration length = s.sum.end - s.sum.start;
        s.sum.mean = ratio(s.size.area(), length);
        s.sum.closed_share = ratio(s.sum.closed, length);
        s.sum.closed_waiting_share = ratio(s.sum.closed_waiting, length);
        all.push_back(std::move(s.sum));
    }
    std::ranges::sort(all, {}, &WindowFigures::session);
    return all;
}

} // namespace iscsiscope
