// SPDX-License-Identifier: GPL-2.0-or-later
// The position of the tap between the two ends of a connection (docs/tcp-inference.md, "Capture position").
#pragma once

#include "analyzer/tcp/stream/connection.h"

#include <optional>

namespace iscsiscope {

// The share of the round trip between initiator and tap: 0 at the initiator, 1 at the target.
struct CapturePosition {
    double value = 0; // from the minimum tap-side round trips
    // Bounds that allow for the reaction time of the hosts; both equal the value if the user gave it.
    double low = 0, high = 1;
};

// Empty until both tap-side round trips are known. A tap-side round trip includes its host's reaction time,
// up to about 200 µs. Without the handshake every sample may also include a queue, and as long as there are
// few of them, a delayed ACK. Where these are large against the path (at an end, or on a short path) the
// bounds are wide.
std::optional<CapturePosition> capture_position(const Connection &, Side initiator);

} // namespace iscsiscope
