// SPDX-License-Identifier: GPL-2.0-or-later
// The state of FrameDecoder: its functions decode the headers of a frame from the outermost to TCP.
#pragma once

#include "analyzer/capture/decode/frame_decoder.h"
#include "analyzer/capture/decode/ip_reassembly.h"
#include "analyzer/capture/decode/packet_view.h"
#include "analyzer/capture/decode/repeated_headers.h"

#include <bitset>
#include <optional>

namespace iscsiscope {

struct FrameDecoder::State {
    explicit State(AnomalySink &anomaly_sink) : sink(anomaly_sink), reassembly(anomaly_sink) {}

    // All functions below return true if the segment has been filled; else they have counted the frame.
    bool link(std::uint32_t link_type, PacketView, Segment &);
    bool ethernet(PacketView, Segment &);
    bool linux_cooked(PacketView, std::uint32_t header_size, std::uint32_t protocol_at, Segment &);
    bool loopback(PacketView, Segment &);
    bool raw_ip(PacketView, Segment &);
    bool ether_type(std::uint16_t type, PacketView, Segment &);
    bool ipv4(PacketView, Segment &);
    bool ipv6(PacketView, Segment &);
    bool ipv6_headers(std::uint8_t next_header, PacketView, Segment &);
    bool fragment(Fragment, Segment &);
    bool transport(std::uint8_t protocol, PacketView, Segment &);
    bool tcp(PacketView, Segment &);
    bool udp(PacketView, Segment &);
    bool gre(PacketView, Segment &);
    bool erspan(std::optional<std::uint32_t> sequence, PacketView, Segment &);
    bool mpls(PacketView, Segment &);
    bool pseudowire(PacketView, Segment &);
    bool pppoe(PacketView, Segment &);
    // What a tunnel carries, by its EtherType. The tunnel has been entered, and is_packet(type) holds.
    bool carried(std::uint16_t type, PacketView, Segment &);
    // Returns false if the packet is nested too deep; the caller then counts the frame.
    bool enter_tunnel(EncapsulationKind, std::uint32_t id = 0);
    // Counts an IP packet of which less came than its own length, unless the mirror said that it cut it.
    void report_short();

    bool unknown_link(std::uint32_t link_type);
    // Counts a frame whose header is incomplete: cut by the snap length, or else malformed.
    bool incomplete(PacketView, std::uint64_t &counter);
    bool malformed(std::uint64_t &counter);
    void report(AnomalyKind, std::int64_t detail = 0);

    AnomalySink &sink;
    ProtocolCounts counts;
    UnreadCounts unread;
    EncapsulationTally encapsulations;
    MirrorSessions mirrors;
    IpReassembly reassembly;
    RepeatedHeaders repeated;
    std::bitset<65536> unknown_links; // link types already reported
    FrameNumber frame = 0;            // of the frame being decoded
    Time time{};
    EncapsulationPath path; // of that frame, as far as it has been decoded
    int tunnel_depth = 0;
    bool cut_by_mirror = false; // an ERSPAN header said so
};

} // namespace iscsiscope
