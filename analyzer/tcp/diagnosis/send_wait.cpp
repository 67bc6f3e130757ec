// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/diagnosis/send_wait.h"

#include <algorithm>
#include <chrono>

namespace iscsiscope {

void describe_release(SendCircumstances &now, const KnownAcks &acks, const Segment &s,
                      const RttToSender &tap_rtt) {
    // The latest ACK that can have reached the sender: the usual tap-side round trip also holds what the host
    // needs.
    std::uint64_t learned = acks.known_by(s, tap_rtt.least);
    const bool by_echo = s.options.has_timestamps && learned > acks.number_at_send();
    if (learned <= acks.number_at_send())
        learned = acks.number();
    const AckSeen *release = learned > acks.number_at_send() ? acks.at(learned) : nullptr;
    if (release == nullptr)
        return;
    const AckSeen *before = acks.at(acks.number_at_send());
    const AckSeen &then = before != nullptr ? *before : AckedLog::nothing;
    now.release_frame = known_frame(release->frame);
    now.release_advanced = release->acked > then.acked || release->highest() > then.highest() ||
                           release->duplicates > then.duplicates;
    now.since_release = std::max(Duration{}, s.time - (release->time + tap_rtt.least + tap_rtt.late));
    // The echo shows that the next ACK had not reached the sender, which limits the time.
    if (const AckSeen *next = acks.after(learned); by_echo && next != nullptr)
        now.since_release = std::min(now.since_release, std::max(Duration{}, next->time - release->time));
    now.prompt = now.since_release <= tap_rtt.slack;
    now.ack_held = release->held;
    now.held_data_frame = known_frame(release->held_data);
}

void describe_window(SendCircumstances &now, const KnownAcks &acks, const Segment &s,
                     const RttToSender &tap_rtt, std::uint64_t sent_to, std::uint64_t need) {
    const AckSeen *before = acks.at(acks.number_at_send());
    if (before == nullptr || before->edge == 0)
        return;
    now.window_full = before->edge < sent_to + need;
    if (!now.window_full)
        return;
    now.window_closed_frame = known_frame(before->frame);
    for (std::uint64_t n = acks.number_at_send() + 1; n <= acks.number(); ++n) {
        const AckSeen *a = acks.at(n);
        if (a == nullptr || a->edge < sent_to + need)
            continue;
        now.window_update_frame = known_frame(a->frame);
        now.update_prompt = s.time - (a->time + tap_rtt.least + tap_rtt.late) <= tap_rtt.slack;
        return;
    }
}

void describe_growth(SendCircumstances &now, WindowRestart &restart, const KnownAcks &acks, const Segment &s,
                     const RttToSender &tap_rtt, WindowRestart::Wait wait,
                     const std::function<SlowStarts &()> &sums) {
    if (acks.known().acked >= wait.flight && restart.resumed(wait.length, wait.round_trip, wait.full))
        return;
    const AckSeen *before = acks.at(acks.number_at_send());
    if (before == nullptr)
        return;
    // The tap-side round trip, or the echo, may be off by some of it.
    const AckSeen &latest = acks.latest();
    const Duration age = s.time - latest.time;
    const bool about = latest.acked > before->acked && age < wait.length &&
                       age >= tap_rtt.least - tap_rtt.least / 8 && tap_rtt.least > host_reaction;
    // Of the order of an ACK and the segment that it released, a tap that merges two clocks may not be sure.
    const bool unordered = !now.release_advanced && latest.acked <= before->acked &&
                           std::chrono::abs(wait.length - wait.round_trip) * 16 <= wait.round_trip;
    wait.flight -= std::min(wait.flight, before->acked);
    wait.released = ((now.release_advanced && now.prompt) || about || unordered) && !now.window_full;
    now.window_grows = restart.waited(wait, sums);
}

} // namespace iscsiscope
