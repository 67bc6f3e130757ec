// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/capture/segment.h"

namespace iscsiscope {

enum class TcpChecksum : std::uint8_t {
    unknown,  // the file does not hold the whole segment
    right,    // as RFC 9293 section 3.1 asks
    unfilled, // the sum of the pseudo header alone: the sender's network card fills in the rest
    wrong,
};

// Computes the checksum of a segment from its addresses, header and payload. Takes time in proportion to the
// payload.
TcpChecksum tcp_checksum(const Segment &);

} // namespace iscsiscope
