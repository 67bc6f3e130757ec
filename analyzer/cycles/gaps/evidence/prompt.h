// SPDX-License-Identifier: GPL-2.0-or-later
// Whether an end answered an event at once.
#pragma once

#include "analyzer/base/time.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace iscsiscope {

// The time after an event at the tap within which an answer counts as sent at once: the round trip from the
// tap to the answering end, plus max(1/8 of the connection's round trip, 200 µs).
inline Duration prompt_within(Duration rtt_to_sender, std::optional<Duration> rtt_to_receiver) {
    const Duration whole = rtt_to_sender + rtt_to_receiver.value_or(Duration{});
    return rtt_to_sender + std::max<Duration>(whole / 8, std::chrono::microseconds{200});
}

} // namespace iscsiscope
