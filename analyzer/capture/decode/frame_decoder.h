// SPDX-License-Identifier: GPL-2.0-or-later
// Link, VLAN, tunnel, IP and TCP headers of one frame → Segment.
#pragma once

#include "analyzer/capture/anomaly.h"
#include "analyzer/capture/frame.h"
#include "analyzer/capture/segment.h"

#include <array>
#include <cstdint>
#include <memory>

namespace iscsiscope {

// What passed besides TCP, for a report on a capture without iSCSI.
struct ProtocolCounts {
    std::uint64_t tcp = 0, udp = 0, icmp = 0, arp = 0, other_ip = 0, other = 0;
};

class FrameDecoder {
public:
    explicit FrameDecoder(AnomalySink &);
    ~FrameDecoder();

    // True if the frame is a TCP segment, or the fragment that completes one (the segment then has
    // this frame's number and time). The segment's payload points into the frame, or for a
    // reassembled datagram into the decoder, until the next call. Frames that are not TCP return
    // false and are counted; malformed ones are counted and reported as anomalies.
    bool decode(const Frame &, Segment &);

    // At the end of the capture: reports the fragmented datagrams that were never completed.
    void finish();

    // Every frame is counted once, by the innermost protocol that could be told.
    const ProtocolCounts &protocols() const;

private:
    struct State; // fragments in progress (bounded), counters
    std::unique_ptr<State> state_;
};

} // namespace iscsiscope
