// SPDX-License-Identifier: GPL-2.0-or-later
// LedgerEntry: a part of a connection's busy time, with its owner and its cause (docs/ledger.md). Entries of
// a connection do not overlap, and together they are its busy time to the nanosecond.
#pragma once

#include "analyzer/cycles/records/records.h"

namespace iscsiscope {

struct LedgerEntry {
    StreamId stream;
    SessionId session;
    // With several tasks open an entry belongs to the task whose answer was awaited, else to the oldest open
    // one; empty: no task was open, and it belongs to the LUN and the type of the last one.
    std::optional<CycleId> cycle;
    std::uint64_t lun = 0;
    TaskType type{};
    Owner owner = Owner::unknown;
    Cause cause = Cause::unclassified;
    bool trouble = false; // the network's, and not explained by the distance: queues, repairs
    Time start{};
    Duration length{}; // above zero
    // The wait that it is a part of; empty: bytes passed. What the entries of one wait share:
    std::optional<GapKind> gap;
    Duration wait{};              // its length
    Duration distance{};          // round trip from tap to awaited end to other end; 0: not known
    FrameNumber before_frame = 0; // 0: not known
    OptionalFrame after_frame;
    std::array<GapProofFrame, 3> proof{};
    std::uint32_t depth =
        0; // tasks outstanding when the entry's task was sent, itself included; 0: not known

    Time end() const { return start + length; }
    OwnerTimes owners() const {
        OwnerTimes t;
        t[owner] = length;
        t.trouble = trouble ? length : Duration{};
        return t;
    }
    // The owner took longer than the round trip, and than a millisecond, which a healthy array does not
    // exceed.
    bool is_long() const;
};

// An interval in which nothing got through on a connection's path for longer than the repair of a loss takes
// (cycles/ledger/outages.h).
struct OutageInterval {
    Time start{}, end{};
    FrameNumber before_frame = 0;                            // last payload before it
    OptionalFrame after_frame;                               // first after it; empty: none came
    bool ended_by_repair = false;                            // payload passed after it
    std::uint64_t repeats = 0;                               // gaps that a repeat ended without an answer
    std::uint64_t lost_to_target = 0, lost_to_initiator = 0; // segments sent again meanwhile, by direction
    std::uint64_t bytes_again = 0;                           // their payload
    std::optional<std::uint32_t> smallest_again;             // of one of them

    Duration length() const { return end - start; }
};

struct OutageRecord {
    StreamId stream;
    OutageInterval outage;
};

} // namespace iscsiscope
