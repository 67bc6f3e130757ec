// SPDX-License-Identifier: GPL-2.0-or-later
// Classifies a repeat by what its sender knew (docs/tcp-inference.md, "Retransmissions").
#pragma once

#include "analyzer/tcp/tcp_figures.h"

#include <optional>

namespace iscsiscope {

// What the sender knew when it sent the bytes again, and its silence before.
struct RepeatEvidence {
    bool oldest = false; // the oldest bytes of which it knew no acknowledgment
    bool last = false;   // they end with the last byte that it had sent
    // It knew of SACKs beyond them or of duplicate ACKs, or was repairing a loss.
    bool signalled = false;
    bool prompt = false;  // an ACK had just reached it
    bool in_loss = false; // first sent before an earlier timeout from which it still recovers
    bool probes = false;  // it has been seen to use tail loss probes
    Duration silence{};   // since its last segment or the last ACK that reached it, whichever is later
    std::optional<Duration> since_last_copy; // since the last earlier repeat of the first of these bytes that
                                             // were repeated; empty: none was
    Duration round_trip{};                   // smoothed; 0: unknown
};

struct RepeatVerdict {
    RetransmissionClass kind = RetransmissionClass::unknown;
    bool expiry = false; // a timer expired for these bytes; false: the repeat follows one that expired
    // Only one segment was in flight. A Linux sender's tail loss probe then waits as long as its
    // retransmission timer, and what it sends next decides: after a timeout it starts with one segment.
    bool maybe_probe = false;
};

RepeatVerdict judge_repeat(const RepeatEvidence &);

} // namespace iscsiscope
