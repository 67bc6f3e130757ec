// SPDX-License-Identifier: GPL-2.0-or-later
// Wireshark's dissection of one frame → the IP packet in it, of which FrameDecoder makes the segment.
#pragma once

#include "analyzer/capture/frame.h"
#include "plugin/compat/wireshark_versions.h"

namespace iscsiscope::plugin {

class SegmentSource {
public:
    // When all protocols are registered: looks up what it needs.
    void look_up();
    // The innermost IP packet, behind link layer, VLAN and tunnels as Wireshark resolved them; its bytes as
    // they stand in the frame, or in what Wireshark put together or decrypted: valid while the frame is being
    // dissected. No bytes: there is none, or an ICMP message quotes it. Costs no tree: with one, tshark would
    // have to note every protocol's items for us alone.
    Frame ip_packet(const packet_info *, tvbuff_t *frame) const;

private:
    int ip_ = -1, ipv6_ = -1, icmp_ = -1, icmpv6_ = -1;
};

} // namespace iscsiscope::plugin
