// SPDX-License-Identifier: GPL-2.0-or-later
// The state of FrameDecoder: its functions decode the headers of a frame from the outermost to TCP, and count
// the frame by the innermost protocol that they recognise.
#pragma once

#include "analyzer/capture/decode/frame_decoder.h"
#include "analyzer/capture/decode/frame_faults.h"
#include "analyzer/capture/decode/ip_reassembly.h"
#include "analyzer/capture/decode/packet_view.h"
#include "analyzer/capture/decode/repeated_headers.h"
#include "analyzer/capture/decode/tunnel_path.h"

namespace iscsiscope {

struct FrameDecoder::State {
    explicit State(AnomalySink &sink) : reassembly(sink), faults(sink) {}

    // All functions below return true if the segment has been filled; else they have counted the frame.
    bool link(std::uint32_t link_type, PacketView, Segment &);
    bool ethernet(PacketView, Segment &);
    bool linux_cooked(PacketView, std::uint32_t header_size, std::uint32_t protocol_at, Segment &);
    bool loopback(PacketView, Segment &);
    bool raw_ip(PacketView, Segment &);
    bool ether_type(std::uint16_t type, PacketView, Segment &);
    // A tag before the type of a frame, whose last two bytes are the type of what it tags.
    struct Tag {
        EncapsulationKind kind;
        std::uint32_t size;  // bytes
        std::uint32_t id_at; // of the two bytes that hold the number
        std::uint16_t id_mask;
    };
    // Passes over the tag. Returns false if it is not whole; then the frame has been counted.
    bool pass(const Tag &, std::uint16_t &type, PacketView &);
    bool ipv4(PacketView, Segment &);
    bool ipv6(PacketView, Segment &);
    bool ipv6_headers(std::uint8_t next_header, PacketView, Segment &);
    bool fragment(Fragment, Segment &);
    bool transport(std::uint8_t protocol, PacketView, Segment &);
    bool tcp(PacketView, Segment &);

    ProtocolCounts counts;
    UnreadCounts unread;
    EncapsulationTally encapsulations;
    MirrorSessions mirrors;
    IcmpErrors icmp_errors;
    IpReassembly reassembly;
    RepeatedHeaders repeated;
    TunnelPath tunnels; // around the frame's packet, as far as it has been decoded
    FrameFaults faults; // of that frame
};

} // namespace iscsiscope
