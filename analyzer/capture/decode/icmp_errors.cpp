// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/decode/icmp_errors.h"

#include "analyzer/capture/decode/internet_header.h"

#include <algorithm>

namespace iscsiscope {
namespace {

constexpr std::uint32_t header_size = 8; // of an ICMP message, before the packet that it quotes

std::optional<IcmpReason> reason_v4(std::uint8_t type, std::uint8_t code) {
    switch (type) {
    case 3:
        switch (code) {
        case 0:
        case 6:
        case 11:
            return IcmpReason::network_unreachable;
        case 2:
            return IcmpReason::protocol_unreachable;
        case 3:
            return IcmpReason::port_unreachable;
        case 4:
            return IcmpReason::too_big;
        case 9:
        case 10:
        case 13:
            return IcmpReason::prohibited;
        case 5: // source route failed
            return IcmpReason::header_refused;
        default:
            return IcmpReason::host_unreachable;
        }
    case 4:
        return IcmpReason::slow_down;
    case 11:
        return code == 0 ? IcmpReason::hops_exceeded : IcmpReason::reassembly_exceeded;
    case 12:
        return IcmpReason::header_refused;
    default:
        return std::nullopt;
    }
}

std::optional<IcmpReason> reason_v6(std::uint8_t type, std::uint8_t code) {
    switch (type) {
    case 1:
        switch (code) {
        case 0: // no route
        case 6: // a route that rejects
            return IcmpReason::network_unreachable;
        case 1:
        case 5: // the source address fails a policy
            return IcmpReason::prohibited;
        case 4:
            return IcmpReason::port_unreachable;
        default:
            return IcmpReason::host_unreachable;
        }
    case 2:
        return IcmpReason::too_big;
    case 3:
        return code == 0 ? IcmpReason::hops_exceeded : IcmpReason::reassembly_exceeded;
    case 4:
        return code == 1 ? IcmpReason::protocol_unreachable : IcmpReason::header_refused;
    default:
        return std::nullopt;
    }
}

// Fills in the ends of the TCP packet that the message quotes, and its size. Returns false if it is another
// one, or a later fragment, or not there as far as its ports.
bool read_quoted(PacketView packet, IcmpError &error) {
    if (!packet.has(20))
        return false;
    const bool v6 = packet.u8(0) >> 4 == 6;
    std::uint32_t size = 40;
    if (v6) {
        if (!packet.has(size) || packet.u8(6) != protocol_tcp)
            return false;
        error.largest_packet = size + packet.u16(4);
        error.source.address = address_v6(packet.data + 8);
        error.destination.address = address_v6(packet.data + 24);
    } else {
        size = (packet.u8(0) & 0x0fU) * 4U;
        if (packet.u8(0) >> 4 != 4 || size < 20 || packet.u8(9) != protocol_tcp ||
            (packet.u16(6) & 0x1fffU) != 0)
            return false;
        error.largest_packet = packet.u16(2);
        error.source.address = address_v4(packet.data + 12);
        error.destination.address = address_v4(packet.data + 16);
    }
    if (!packet.has(size + 4))
        return false;
    error.source.port = packet.u16(size);
    error.destination.port = packet.u16(size + 2);
    return true;
}

std::optional<std::uint32_t> stated_mtu(PacketView message, bool v6) {
    // Routers that are older than RFC 1191 state 0.
    const std::uint32_t mtu = v6 ? message.u32(4) : message.u16(6);
    return mtu != 0 ? std::optional(mtu) : std::nullopt;
}

} // namespace

void IcmpErrors::add(PacketView message, bool v6, const IpAddress &sender, FrameNumber frame) {
    if (!message.has(header_size))
        return;
    IcmpError error;
    error.type = message.u8(0);
    error.code = message.u8(1);
    const auto reason = v6 ? reason_v6(error.type, error.code) : reason_v4(error.type, error.code);
    if (!reason || !read_quoted(message.behind(header_size), error))
        return;
    error.reason = *reason;
    error.sender = sender;
    if (*reason == IcmpReason::too_big)
        error.mtu = stated_mtu(message, v6);
    auto row = std::ranges::find_if(all_, [&](const IcmpError &e) {
        return e.type == error.type && e.code == error.code && e.mtu == error.mtu &&
               e.sender == error.sender && e.source == error.source && e.destination == error.destination;
    });
    if (row == all_.end()) {
        if (all_.size() == most)
            return;
        error.first_frame = frame;
        row = all_.insert(all_.end(), error);
    }
    ++row->messages;
    row->last_frame = frame;
    row->largest_packet = std::max(row->largest_packet, error.largest_packet);
}

} // namespace iscsiscope
