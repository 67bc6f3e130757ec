// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/iscsi/codec/direction.h"
#include "analyzer/iscsi/codec/header_mask.h"
#include "analyzer/iscsi/codec/header_view.h"

namespace iscsiscope {

// Returns whether 48 bytes found anywhere in a stream can be a basic header segment of this direction. Checks
// opcode, reserved bits and bytes, and the flag and tag rules of RFC 7143, with the exceptions that real
// stacks make. Zeros, ones, repeated bytes and text are refused; of random bytes fewer than one in 2^24 pass.
// One plausible header is evidence, not proof: HeaderSearch confirms it by the header that must follow.
bool plausible_header(HeaderView, PduDirection);

// The same without the demand for sequence numbers, which real targets may leave zero: StatSN, and with it
// the ExpStatSN of the Data-Out that the initiator sends.
bool allowed_header(HeaderView, PduDirection);

// The same for a header of which only these bytes are known; the field `extent` must be among them. A field
// that is known in part only is not looked at.
bool allowed_part(HeaderView, HeaderMask known, PduDirection);

// Returns whether 48 bytes can be a Login PDU, or a Reject, where RFC 7143 allows no other PDU: at a PDU
// boundary of the login phase. Opcode and lengths are enough there, since the Login Responses with which real
// targets refuse a login leave out the ISID, the numbers or all fields but the status. `first` in its stream,
// a Login Request must have text, which names the initiator. Of random bytes fewer than one in 2^24 pass.
bool login_phase_header(HeaderView, PduDirection, bool first);

} // namespace iscsiscope
