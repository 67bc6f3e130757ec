// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/diagnosis/send_wait.h"

#include <algorithm>
#include <chrono>

namespace iscsiscope {
namespace {

// The tap-side round trip tap → sender → tap when the segment passed.
struct RttToSender {
    Duration least{}; // KnownAcks::to_sender()
    Duration late{};  // by how much recent round trips exceed it, due to queues
    Duration slack{}; // a wait up to this is none
};

// Sets what the ACKs that reached the sender since its segment before have to do with this one.
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
    now.ack_held = release->held_data != 0;
    now.held_data_frame = known_frame(release->held_data);
}

// Sets whether the window, as its segment before left it, had room for this one, and which ACK made room.
// sent_to: the end of the highest byte that had passed; need: bytes for which a sender waits (RFC 9293
// section 3.8.6.2.1: a full segment, or all that there is).
void describe_window(SendCircumstances &now, const KnownAcks &acks, const Segment &s,
                     const RttToSender &tap_rtt, std::uint64_t sent_to, std::uint64_t need) {
    const AckSeen *before = acks.at(acks.number_at_send());
    if (before == nullptr || before->edge() == 0)
        return;
    now.window_full = before->edge() < sent_to + need;
    if (!now.window_full)
        return;
    now.window_closed_frame = known_frame(before->frame);
    for (std::uint64_t n = acks.number_at_send() + 1; n <= acks.number(); ++n) {
        const AckSeen *a = acks.at(n);
        if (a == nullptr || a->edge() < sent_to + need)
            continue;
        now.window_update_frame = known_frame(a->frame);
        now.update_prompt = s.time - (a->time + tap_rtt.least + tap_rtt.late) <= tap_rtt.slack;
        return;
    }
}

// Sets whether it was for a congestion window that began anew; the others come before it. wait: `flight` is
// the end of the highest byte that had passed; `released` is set here.
void describe_growth(SendCircumstances &now, WindowRestart &restart, Direction &d, const Segment &s,
                     const RttToSender &tap_rtt, WindowRestart::Wait wait) {
    const KnownAcks &acks = d.acks();
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
    now.window_grows = restart.waited(wait, [&]() -> SlowStarts & { return d.tally.troubles().slow_starts; });
}

} // namespace

void SendWait::describe(Direction &d, const Connection &c, const SegmentReport &r, const Before &then) {
    const Segment &s = *r.segment;
    const SentLog &sent = d.track.sent_log();
    const std::uint32_t full = d.figures().full_segment.value_or(0);
    circumstances_ = {};
    described_ = true;
    circumstances_.limit_before = then.limit;
    circumstances_.state_before = then.state;
    circumstances_.recovering_before = then.repairing;
    circumstances_.plateau_before = plateau_.flat(full, then.state == SenderState::slow_start);
    const AckSeen *before = d.acks().at(d.acks().number_at_send());
    circumstances_.outstanding = sent.end() > (before != nullptr ? before->acked : 0);
    const auto &to_receiver = d.receiver(c).rtt.minimum;
    RttToSender tap_rtt;
    tap_rtt.least = d.times.to_sender(c);
    tap_rtt.late = d.times.lateness(tap_rtt.least);
    const Duration whole = tap_rtt.least + to_receiver.value_or(Duration{});
    tap_rtt.slack = std::max<Duration>(whole / 8, host_reaction);
    describe_release(circumstances_, d.acks(), s, tap_rtt);
    circumstances_.window_inferred = !d.receiver(c).window_scale_known;
    describe_window(circumstances_, d.acks(), s, tap_rtt, sent.end(),
                    std::min(d.track.segment(), s.payload_length));
    if (!sent.last())
        restart_.opened();
    else if (r.offset < sent.end() || then.repairing)
        restart_.lost();
    else if (to_receiver)
        describe_growth(circumstances_, restart_, d, s, tap_rtt,
                        {.length = s.time - *sent.last(),
                         .round_trip = whole,
                         .flight = sent.end(),
                         .full = full,
                         .after = s.frame});
}

void SendWait::sampled(const TcpSample &s, bool repairing) {
    if (!s.flight)
        return;
    restart_.in_flight(*s.flight);
    if (repairing)
        plateau_.lost();
    else if (s.answered_after)
        plateau_.sample(s.time, *s.flight, *s.answered_after);
}

} // namespace iscsiscope
