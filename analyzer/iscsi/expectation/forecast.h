// SPDX-License-Identifier: GPL-2.0-or-later
// Which PDU can come next in a direction, by the state of the tasks (RFC 7143 sections 4.2.4, 11.7, 11.8).
#pragma once

#include "analyzer/iscsi/expectation/ledger/ledger_state.h"

#include <vector>

namespace iscsiscope {

// A header that is not in the file, as far as it follows. Its extent is always known.
struct PredictedHeader {
    HeaderBytes header{};
    HeaderMask known = 0;
    // True if no byte that the file holds contradicts it.
    bool agrees(const Pdu &) const;
};

// Adds what can come next to `out`, the likeliest first. A NOP that answers nothing, or a task management
// PDU, may come as well. received: up to which offset of the other direction's stream the sender had
// received, at most: nothing in `out` answers what came later. Returns false if what may come does not follow
// from what is known, as the length of a segment.
bool forecast(const LedgerState &, PduDirection, std::uint64_t received, std::vector<PredictedHeader> &out);

// Returns whether the target can answer a task by a PDU, which the file holds in part.
bool can_answer(const LedgerState &, const TaskProgress &, const Pdu &);

} // namespace iscsiscope
