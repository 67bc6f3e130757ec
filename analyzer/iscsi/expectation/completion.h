// SPDX-License-Identifier: GPL-2.0-or-later
// What of a header follows where the file holds only its first part.
#pragma once

#include "analyzer/iscsi/expectation/ledger/ledger_state.h"

namespace iscsiscope {

// Fills in the fields of a header that are not in the file and that follow from the ones before. The PDU's
// extent must be known. A field that does not follow stays unknown. If the task tag is not in the file, the
// PDU is that of the task that can send one such; it is marked inferred then.
void complete(const LedgerState &, Pdu &);

} // namespace iscsiscope
