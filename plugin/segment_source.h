// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the IP packet in Wireshark's dissection of a frame; FrameDecoder makes the TCP segment of it.
#pragma once

#include "analyzer/capture/frame.h"
#include "plugin/compat/wireshark_versions.h"

namespace iscsiscope::plugin {

class SegmentSource {
public:
    // Looks up the protocols that it needs. Called once all protocols are registered.
    void look_up();
    // Returns the innermost IP packet behind link layer, VLAN and tunnels, as Wireshark resolved them. Its
    // bytes lie in the frame or in a buffer that Wireshark reassembled or decrypted, and are valid while the
    // frame is being dissected. No bytes: the frame has no IP packet, or an ICMP message quotes it. No tree
    // is needed: for one, tshark would have to record the items of every protocol.
    Frame ip_packet(const packet_info *, tvbuff_t *frame) const;

    // Returns whether Wireshark found TCP in the frame, other than what ICMP quotes.
    bool holds_tcp(const packet_info *) const;

private:
    int tcp_ = -1;
    int ip_ = -1, ipv6_ = -1, icmp_ = -1, icmpv6_ = -1;
};

} // namespace iscsiscope::plugin
