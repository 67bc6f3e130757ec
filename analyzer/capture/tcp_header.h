// SPDX-License-Identifier: GPL-2.0-or-later
// TCP header and options (RFC 9293 section 3.1, RFC 7323, RFC 2018) → Segment.
#pragma once

#include "analyzer/capture/packet_view.h"
#include "analyzer/capture/segment.h"

namespace iscsiscope {

enum class TcpHeaderResult : std::uint8_t {
    good,
    too_short, // fewer than 20 bytes
    malformed, // a data offset that cannot be
};

// Fills ports, sequence, flags, options and payload; the view begins at the TCP header. Options
// that were cut off are absent, and so is payload that was, while payload_length counts it.
TcpHeaderResult read_tcp_header(PacketView, Segment &);

} // namespace iscsiscope
