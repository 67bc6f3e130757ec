// SPDX-License-Identifier: GPL-2.0-or-later
// GapContext: the connection as GapTracker and PendingGaps see it; built for each call.
#pragma once

#include "analyzer/cycles/gaps/pdu_ranges.h"
#include "analyzer/cycles/ledger/connection_ledger.h"
#include "analyzer/cycles/records/active_life.h"
#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/tcp/diagnosis/history/send_circumstances.h"
#include "analyzer/tcp/hosts/host_moment.h"
#include "analyzer/tcp/stream/connection.h"

#include <array>
#include <optional>

namespace iscsiscope {

struct GapContext {
    const Connection &tcp;
    Side initiator;
    const std::array<PduRanges, 2> &ranges; // by Side of the sender
    ActiveLife &life;
    ConnectionLedger &ledger;
    bool tasks_open;
    const RecordTables &records;
    // TCP's evidence on the current segment; null: not known.
    const SendCircumstances *sending = nullptr;
    std::optional<Time> sent_by{}; // see IntervalEnd
};

} // namespace iscsiscope
