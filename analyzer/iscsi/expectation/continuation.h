// SPDX-License-Identifier: GPL-2.0-or-later
// Whether a header that is in the file goes on where the headers before it stopped: by its task, which must
// be open, and by its offset and numbers.
#pragma once

#include "analyzer/iscsi/expectation/ledger/ledger_state.h"

#include <cstdint>

namespace iscsiscope {

// Whether a header that stands where one is expected follows what the ledger holds. Unknown: it is that of a
// task whose command was not found.
enum class Following : std::uint8_t { no, unknown, yes };
Following follows(const LedgerState &, const Pdu &);

// Whether bytes that may be a header, of which the file holds some, are one: their numbers and tags continue
// what the ledger holds, by at least 32 bits that chance would have to meet.
bool continues(const LedgerState &, HeaderView, HeaderMask in_file, PduDirection);

} // namespace iscsiscope
