// SPDX-License-Identifier: GPL-2.0-or-later
// RepeatedHeaders: a fast path for frames whose Ethernet and IPv4 headers equal those of a recent frame,
// apart from length, identification and checksum. Nearly all frames of a bulk transfer do. Only untagged
// Ethernet frames with an unfragmented IPv4 datagram without options that carries TCP qualify.
#pragma once

#include "analyzer/base/byte_order.h"
#include "analyzer/capture/decode/hardware_address.h"
#include "analyzer/capture/decode/tcp_header.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace iscsiscope {

class RepeatedHeaders {
public:
    // Stores the headers of a frame that FrameDecoder::State has decoded into `segment`, if they qualify.
    void note(PacketView frame, const Segment &segment) {
        if (!frame.has(tcp_at) || frame.u16(12) != ether_ipv4 || frame.u8(ip_at) != plain_ipv4 ||
            (frame.u16(20) & 0x3fffU) != 0 || frame.u8(23) != protocol_tcp)
            return;
        Seen &m = seen_[next_];
        next_ = (next_ + 1) % seen_.size();
        m.key = key_of(frame);
        m.source = segment.source.address;
        m.destination = segment.destination.address;
        m.ecn = segment.ip_ecn;
        m.ttl = segment.ip_ttl;
    }
    // Fills the segment, except its frame number and time, if the frame repeats stored headers. Returns
    // false if FrameDecoder::State must decode the frame.
    bool read(PacketView frame, Segment &segment) const {
        if (!frame.has(tcp_at))
            return false;
        const Key key = key_of(frame);
        const Seen *m = &seen_[0];
        if (key.head == 0 || (m->key != key && (++m)->key != key))
            return false;
        const std::uint32_t total_length = frame.u16(16);
        if (total_length < tcp_at - ip_at || total_length > frame.wire - ip_at)
            return false;
        if (read_tcp_header(frame.behind(ip_at).limited_to(total_length).behind(tcp_at - ip_at), segment) !=
            TcpHeaderResult::good)
            return false;
        segment.source.address = m->source;
        segment.destination.address = m->destination;
        segment.ip_ecn = m->ecn;
        segment.ip_ttl = m->ttl;
        segment.source_mac = mac_at(frame.data + source_mac_at);
        segment.has_ip_id = true;
        segment.ip_id = frame.u16(18);
        return true;
    }

private:
    static constexpr std::uint16_t ether_ipv4 = 0x0800;
    static constexpr std::uint8_t plain_ipv4 = 0x45; // version 4, no options
    static constexpr std::uint8_t protocol_tcp = 6;
    static constexpr std::uint32_t ip_at = 14, tcp_at = 34;

    // The fields that two frames must have in common: EtherType, IP version, header length and traffic
    // class; fragmentation, time to live and protocol; addresses.
    struct Key {
        std::uint64_t head = 0, addresses = 0; // head 0: none stored
        friend bool operator==(const Key &, const Key &) = default;
    };
    static Key key_of(PacketView frame) {
        return {std::uint64_t{load_native<std::uint32_t>(frame.data + 12)} << 32 |
                    load_native<std::uint32_t>(frame.data + 20),
                load_native<std::uint64_t>(frame.data + 26)};
    }
    struct Seen {
        Key key;
        IpAddress source, destination;
        std::uint8_t ecn = 0, ttl = 0;
    };
    std::array<Seen, 2> seen_{}; // two suffice for both directions of a connection
    std::size_t next_ = 0;
};

} // namespace iscsiscope
