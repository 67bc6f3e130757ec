// SPDX-License-Identifier: GPL-2.0-or-later
// Wireshark's dissection of one frame → the segment that the engine takes.
#pragma once

#include "analyzer/capture/segment.h"
#include "plugin/drift.h"

namespace iscsiscope::plugin {

class SegmentSource {
public:
    // When all protocols are registered: looks up what it needs, and has Wireshark keep it.
    void want(dissector_handle_t postdissector);
    // The first TCP header of the frame that is not quoted by an ICMP message, with the IP header
    // before it: behind tunnels and reassembly of IP fragments as Wireshark resolves them. False: none.
    // The payload points into the frame: valid while it is being dissected. On the first pass only.
    bool fill(packet_info *, proto_tree *, Segment &) const;

private:
    int ip_ = -1, ipv6_ = -1, tcp_ = -1, icmp_ = -1, icmpv6_ = -1;
};

} // namespace iscsiscope::plugin
