// SPDX-License-Identifier: GPL-2.0-or-later
// What a header shows of what its sender had received, held against a reading of the other direction.
#pragma once

#include "analyzer/iscsi/framing/expectation/reading.h"

#include <cstdint>

namespace iscsiscope {

// Returns whether the sender of `pdu` can have sent it if it had received the first `received` bytes of the
// reading's direction, or fewer, and the reading is right. All of these bytes are read. To be called before
// the reading's ledger has noted the PDU. By RFC 7143:
// - the commands or statuses that it expects next are no more than lie in these bytes (section 4.2.2),
// - it has counted the commands before the data of a Write that it ends (section 4.2.2.1: in order),
// - it ends a Write without an error only after all the data that R2Ts have asked for (section 11.4),
// - its command takes a tag again only after the answer to the task before (section 11.2.1.8).
bool agrees_with(const Reading &, const Pdu &pdu, std::uint64_t received);

} // namespace iscsiscope
