// SPDX-License-Identifier: GPL-2.0-or-later
// IcmpErrors: the ICMP and ICMPv6 messages of a capture that say why a TCP packet did not reach its end.
//
// In: ICMP messages (RFC 792, RFC 4443), each with who sent it. Out: one row for all messages of a sender
// that say the same about packets of one direction of a connection. Messages about other packets, and those
// cut or damaged before the ports of the packet that they quote, give no row. Bound: `most` rows; what
// further ones would hold is only counted as ICMP.
#pragma once

#include "analyzer/base/enum_list.h"
#include "analyzer/capture/decode/packet_view.h"
#include "analyzer/capture/segment.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace iscsiscope {

// By type and code (RFC 792, RFC 1122 section 3.2.2.1, RFC 1812 section 5.2.7.1; RFC 4443 section 3).
// too_big: "fragmentation needed and DF set", "Packet Too Big". prohibited: by a filter on the way.
#define ISCSISCOPE_ICMP_REASONS(X)                                                                           \
    X(too_big)                                                                                               \
    X(prohibited)                                                                                            \
    X(network_unreachable)                                                                                   \
    X(host_unreachable)                                                                                      \
    X(protocol_unreachable)                                                                                  \
    X(port_unreachable) X(hops_exceeded) X(reassembly_exceeded) X(header_refused) X(slow_down)
ISCSISCOPE_ENUM(IcmpReason, icmp_reason_names, icmp_reason_count, ISCSISCOPE_ICMP_REASONS)

struct IcmpError {
    IcmpReason reason{};
    std::uint8_t type = 0, code = 0;
    IpAddress sender;
    Endpoint source, destination; // of the packets that it is about
    // Of the next hop, bytes, as stated (RFC 1191 section 4, RFC 4443 section 3.2).
    std::optional<std::uint32_t> mtu;
    std::uint32_t largest_packet = 0; // of those, bytes with the IP header, as their headers state
    std::uint64_t messages = 0;
    FrameNumber first_frame = 0, last_frame = 0;
};

class IcmpErrors {
public:
    static constexpr std::size_t most = 1024;

    // The view begins with the type of the message.
    void add(PacketView message, bool v6, const IpAddress &sender, FrameNumber);
    // In the order of their first frames.
    const std::vector<IcmpError> &all() const { return all_; }

private:
    std::vector<IcmpError> all_;
};

} // namespace iscsiscope
