// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/net/packets/packet.h"

namespace iscsiscope::testbed::shim {

// Replaces the window scale option of a SYN (RFC 7323 section 2.2) by NOPs and mends the checksum, as
// old middleboxes do. Returns true if the packet was changed; a malformed option list is left alone.
bool strip_window_scale(std::vector<std::uint8_t> &bytes, const PacketInfo &info);

// The Internet checksum (RFC 1071) of TCP with its pseudo header, computed over the whole packet with
// the checksum field as it stands: 0 means that the checksum in the packet is right.
std::uint16_t tcp_checksum_residue(std::span<const std::uint8_t> bytes, const PacketInfo &info);

} // namespace iscsiscope::testbed::shim
