// SPDX-License-Identifier: GPL-2.0-or-later
// Whether a capture is an export of the packets in which PDUs begin or end, as a display filter makes it:
// what it lacks shows nothing of the network.
#pragma once

#include "analyzer/findings/facts/facts.h"

namespace iscsiscope {

// The connection has bytes that are in no frame, and both ends sent data, but no acknowledgment without data
// besides those of the handshake: every TCP acknowledges data within half a second (RFC 9293 section
// 3.8.6.3).
bool is_export(const ConnectionFacts &);
// Every connection with bytes that are in no frame is one, and there is one.
bool is_export(const Facts &);

} // namespace iscsiscope
