// SPDX-License-Identifier: GPL-2.0-or-later
// TunnelDecoder: decodes the headers of what carries packets inside packets, down to the packet inside, which
// goes on through FrameDecoder's functions. All functions return true if the segment has been filled; else
// the frame has been counted.
#pragma once

#include "analyzer/capture/decode/frame_decoder.h"
#include "analyzer/capture/decode/packet_view.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

class TunnelDecoder {
public:
    // frame: it counts the frame, and decodes what is inside.
    explicit TunnelDecoder(FrameDecoder::State &frame) : frame_(frame) {}

    bool udp(PacketView, Segment &); // what is no tunnel is only counted
    bool gre(PacketView, Segment &);
    bool nsh(PacketView, Segment &);
    bool mpls(PacketView, Segment &);
    bool pppoe(PacketView, Segment &);

private:
    bool erspan(std::optional<std::uint32_t> sequence, PacketView, Segment &);
    bool vxlan_gpe(PacketView, Segment &);
    bool pseudowire(PacketView, Segment &);
    // What a header with a next protocol of its own (VXLAN-GPE, NSH) carries.
    bool next_protocol(unsigned number, PacketView, Segment &);
    // What a tunnel carries, by its EtherType. The tunnel has been entered, and is_packet(type) holds.
    bool carried(std::uint16_t type, PacketView, Segment &);

    FrameDecoder::State &frame_;
};

} // namespace iscsiscope
