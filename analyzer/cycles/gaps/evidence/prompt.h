// SPDX-License-Identifier: GPL-2.0-or-later
// Whether an end answered an event at once.
#pragma once

#include "analyzer/base/time.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace iscsiscope {

// A program may take as long to react, and so may an answer to an ACK.
inline constexpr Duration program_reaction = std::chrono::microseconds{200};

// The time after an event at the tap within which an answer counts as sent at once: the round trip from the
// tap to the answering end, plus max(1/8 of the connection's round trip, program_reaction).
inline Duration prompt_within(Duration rtt_to_sender, std::optional<Duration> rtt_to_receiver) {
    const Duration whole = rtt_to_sender + rtt_to_receiver.value_or(Duration{});
    return rtt_to_sender + std::max<Duration>(whole / 8, program_reaction);
}

// True if the round trip is long enough for what an ACK released to stand apart from what a program sent by
// itself meanwhile: longer than two reactions.
inline bool releases_stand_apart(Duration rtt_to_sender, std::optional<Duration> rtt_to_receiver) {
    return rtt_to_sender + rtt_to_receiver.value_or(Duration{}) > 2 * program_reaction;
}

// The time after an ACK at the tap before which nothing that it released can pass there: it has to travel to
// the sender, and the segment back. The least round trip may hold a reaction of the host that a release does
// not need (a kernel sends on without the program).
inline Duration released_after(Duration rtt_to_sender) {
    return std::max(Duration{}, rtt_to_sender - program_reaction);
}

} // namespace iscsiscope
