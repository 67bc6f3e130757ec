// SPDX-License-Identifier: GPL-2.0-or-later
// What a header shows of what its sender had received, held against a reading of the other direction.
#pragma once

#include "analyzer/iscsi/expectation/reading.h"

#include <cstdint>

namespace iscsiscope {

// Returns whether the sender of `pdu` can have sent the PDU if the sender had received at most the first
// `received` bytes of the reading's direction, and the reading is right; true also where that is not known.
// The reading must have read all of these bytes, and its ledger must not have noted the PDU. By RFC 7143:
// - the number that the PDU expects next counts no more commands or statuses than lie in these bytes (section
//   4.2.2),
// - a response to a Write counts the commands before the data of that Write (section 4.2.2.1: in order),
// - a Write ends well and whole only after all the data that R2Ts have asked for (section 11.4),
// - a command takes a tag again only after the answer to the task before (section 11.2.1.8).
bool agrees_with(const Reading &, const Pdu &pdu, std::uint64_t received);

} // namespace iscsiscope
