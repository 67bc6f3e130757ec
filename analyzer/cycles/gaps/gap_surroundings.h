// SPDX-License-Identifier: GPL-2.0-or-later
// GapSurroundings: what GapTracker and its parts read of their connection, and what they fill. All of it
// outlives them.
#pragma once

#include "analyzer/cycles/gaps/pdu_ranges.h"
#include "analyzer/cycles/ledger/connection_ledger.h"
#include "analyzer/cycles/records/active_life.h"
#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/tcp/stream/connection.h"

#include <array>
#include <optional>

namespace iscsiscope {

struct OpenTasks;

struct GapSurroundings {
    const Connection &tcp;
    Side initiator;
    const std::array<PduRanges, 2> &ranges; // by Side of the sender
    const OpenTasks &open;
    ActiveLife &life;
    ConnectionLedger &ledger;
    const RecordTables &records;
    const std::optional<Duration> &threshold; // set by the user; empty: the adaptive default

    Side target() const { return other(initiator); }
};

} // namespace iscsiscope
