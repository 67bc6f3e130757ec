// SPDX-License-Identifier: GPL-2.0-or-later
// Why a sender sent bytes again, by what it knew when it did.
#pragma once

#include "analyzer/tcp/tcp_figures.h"

#include <optional>

namespace iscsiscope {

// The knowledge of the sender at that moment, and its silence before it.
struct RepeatEvidence {
    bool oldest = false; // they are the oldest bytes not known to it as acknowledged
    bool last = false;   // they end with the last byte it had sent
    bool signalled =
        false;            // SACKs beyond them, or duplicate ACKs, had reached it, or it was repairing a loss
    bool prompt = false;  // an ACK had just reached it
    bool in_loss = false; // sent before an earlier timeout, from which it still recovers
    bool probes = false;  // the sender has been seen to use tail loss probes
    Duration silence{};   // since its last segment, and since the last news that reached it
    std::optional<Duration> since_last_copy; // where these bytes had been sent again before
    Duration round_trip{};                   // smoothed; 0: unknown
};

struct RepeatVerdict {
    RetransmissionClass kind = RetransmissionClass::unknown;
    bool expiry = false; // a timer ran out for it (else it follows in the wake of one)
    // One segment was under way, all there was: a Linux sender's tail loss probe waits for the very time of
    // its retransmission timer then. What it sends next tells: behind a timeout it starts with one segment.
    bool maybe_probe = false;
};

// No timer of a sender in use is shorter than this but for the coarseness of clocks (Linux: 200 ms, others
// more; RFC 6298 has one second).
inline constexpr Duration least_timeout = std::chrono::milliseconds{190};

RepeatVerdict judge_repeat(const RepeatEvidence &);

} // namespace iscsiscope
