// SPDX-License-Identifier: GPL-2.0-or-later
// PendingGap: an idle gap that has ended, as GapTracker hands it on, with what is still open about it.
#pragma once

#include "analyzer/cycles/gaps/evidence/gap_evidence.h"
#include "analyzer/cycles/ledger/connection_ledger.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

struct PendingGap {
    GapEvidence evidence;
    WaitParts parts;
    FrameNumber before = 0; // the payload frame before it
    OptionalFrame after;    // the frame that ended it; empty: the end of the capture did
    std::optional<CycleId> cycle;
    std::uint64_t owner_offset = 0;          // of the ending frame's first new byte, whose PDU is `cycle`'s
    std::uint64_t unseen_mark = 0;           // the sender's unseen bytes when the gap began
    std::optional<Time> window_opened_until; // a command up to then shows that commands were waiting
    Side side{};                             // sender of the ending frame
    std::uint32_t peer_segments = 0;         // SegmentCounts of its peer when the gap began

    // What is open, and delays its emission.
    bool owner_wanted = false; // the PDU at owner_offset has not been found
    bool peer_awaited = false; // the kind depends on whether the peer ever sends again
    bool maybe_down = false;   // a first unanswered retransmission: a second one shows a path failure
    bool verdict_open = false; // the tcp room's verdict on the ending retransmission is not final

    bool opened_hole = false; // the ending frame left a hole before its bytes
};

} // namespace iscsiscope
