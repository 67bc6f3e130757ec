// SPDX-License-Identifier: GPL-2.0-or-later
// FrameDecoder: decodes the link, VLAN, tunnel, IP and TCP headers of a frame into a Segment and
// reassembles fragmented datagrams. Not thread-safe.
#pragma once

#include "analyzer/capture/anomaly.h"
#include "analyzer/capture/decode/icmp_errors.h"
#include "analyzer/capture/decode/tallies/encapsulation.h"
#include "analyzer/capture/decode/tallies/mirror_sessions.h"
#include "analyzer/capture/frame.h"
#include "analyzer/capture/segment.h"

#include <array>
#include <cstdint>
#include <memory>

namespace iscsiscope {

// Frames by protocol, for a report on a capture without iSCSI.
struct ProtocolCounts {
    std::uint64_t tcp = 0, udp = 0, icmp = 0, arp = 0, other_ip = 0, other = 0;
};

// Frames that hold no TCP but may carry storage traffic that is not readable here. ProtocolCounts has them
// too.
struct UnreadCounts {
    std::uint64_t roce_v1 = 0; // RDMA over Ethernet
    std::uint64_t roce_v2 = 0; // RDMA over UDP
    std::uint64_t ipsec = 0;   // ESP, also over UDP
    std::uint64_t macsec = 0;  // IEEE 802.1AE
};

class FrameDecoder {
public:
    explicit FrameDecoder(AnomalySink &); // the sink must outlive the decoder
    ~FrameDecoder();

    // Returns true if the frame is a TCP segment, or the fragment that completes one (the segment then
    // has this frame's number and time). The segment's payload points into the frame, or for a
    // reassembled datagram into the decoder, until the next call. Returns false for other frames, which
    // are only counted; malformed ones are also reported as anomalies.
    bool decode(const Frame &, Segment &);

    // Reports the fragmented datagrams that were never completed; to be called at the end of the capture.
    void finish();

    // Returns the counts. Every frame is counted once, by the innermost protocol that was recognised.
    const ProtocolCounts &protocols() const;
    const UnreadCounts &unread() const;

    // Returns the counts of frames with VLAN tags or tunnels, whatever is inside. A fragment counts with what
    // is around it.
    std::vector<EncapsulationCount> encapsulations() const;
    std::vector<MirrorSession> mirror_sessions() const;
    // Whatever the ports of the packets that they are about.
    const std::vector<IcmpError> &icmp_errors() const;

private:
    friend class TunnelDecoder;
    struct State; // fragments in progress (bounded), counters
    std::unique_ptr<State> state_;
};

} // namespace iscsiscope
