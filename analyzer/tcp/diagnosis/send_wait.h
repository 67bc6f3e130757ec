// SPDX-License-Identifier: GPL-2.0-or-later
// What a sender had waited for when its segment passes: the ACK that released it, the room in the receiver's
// window, and the growth of its congestion window. Each fills in its part of SendCircumstances.
#pragma once

#include "analyzer/tcp/diagnosis/history/window_restart.h"
#include "analyzer/tcp/diagnosis/send_circumstances.h"
#include "analyzer/tcp/track/known_acks.h"

#include <cstdint>
#include <functional>

namespace iscsiscope {

// The tap-side round trip tap → sender → tap when the segment passed.
struct RttToSender {
    Duration least{}; // KnownAcks::to_sender()
    Duration late{};  // by how much recent round trips exceed it, due to queues
    Duration slack{}; // a wait up to this is none
};

// Sets what the ACKs that reached the sender since its segment before have to do with this one.
void describe_release(SendCircumstances &, const KnownAcks &, const Segment &, const RttToSender &);
// Sets whether the window, as its segment before left it, had room for this one, and which ACK made room.
// sent_to: the end of the highest byte that had passed; need: bytes for which a sender waits (RFC 9293
// section 3.8.6.2.1: a full segment, or all that there is).
void describe_window(SendCircumstances &, const KnownAcks &, const Segment &, const RttToSender &,
                     std::uint64_t sent_to, std::uint64_t need);

// Sets whether it was for a congestion window that began anew; the others come before it. wait: `flight` is
// the end of the highest byte that had passed; `released` is set here. sums: called where one is counted.
void describe_growth(SendCircumstances &, WindowRestart &, const KnownAcks &, const Segment &,
                     const RttToSender &, WindowRestart::Wait wait,
                     const std::function<SlowStarts &()> &sums);

} // namespace iscsiscope
