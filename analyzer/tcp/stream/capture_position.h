// SPDX-License-Identifier: GPL-2.0-or-later
// Where between its two ends a connection was captured.
#pragma once

#include "analyzer/tcp/stream/connection.h"

#include <optional>

namespace iscsiscope {

// Shares of the round trip that lie between the initiator and the tap: 0 at the initiator, 1 at the target.
struct CapturePosition {
    double value = 0; // from the least half loops, as measured
    // What the hosts' own reaction leaves open; the value itself where the user gave it.
    double low = 0, high = 1;
};

// Empty until both half loops are known. A half loop holds, beside the path, what its host takes to answer:
// some of 200 µs. Without the handshake a queue may have stood in it all the time, and until several answers
// have been seen a delayed ACK: then nothing is sure. At an end itself, and on short paths, that is most of
// it, and the bounds are far apart.
std::optional<CapturePosition> capture_position(const Connection &, Side initiator);

} // namespace iscsiscope
