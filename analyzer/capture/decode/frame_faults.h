// SPDX-License-Identifier: GPL-2.0-or-later
// FrameFaults: what is wrong with the frame that is being decoded, as FrameDecoder::State finds it: a header
// that is incomplete, impossible or of an unknown link type, and a packet of which less came than it says.
// Each becomes an Anomaly with the frame's number. It keeps what decides whether one is reported: that the
// mirror said that it cut the frame, and the link types that were reported before.
#pragma once

#include "analyzer/capture/anomaly.h"
#include "analyzer/capture/decode/packet_view.h"

#include <bitset>

namespace iscsiscope {

class FrameFaults {
public:
    explicit FrameFaults(AnomalySink &sink) : sink_(sink) {} // the sink must outlive this

    // What follows is of this frame.
    void begin(FrameNumber frame) {
        frame_ = frame;
        cut_by_mirror_ = false;
    }

    // The frame cannot be decoded further. These add it to the counter of the protocol whose header it is,
    // and return false, as the functions of FrameDecoder::State do then. The header is incomplete: cut by the
    // snap length, or else malformed.
    bool incomplete(PacketView, std::uint64_t &counter);
    bool malformed(std::uint64_t &counter);
    // Reports each link type once.
    bool unknown_link(std::uint32_t link_type, std::uint64_t &counter);

    // Reports a packet of which less came than its own length, unless the mirror said that it cut it. What
    // came of it is decoded all the same.
    void short_packet();
    // An ERSPAN header says that the mirror cut the frame that it copied.
    void mirror_cut() { cut_by_mirror_ = true; }

private:
    void report(AnomalyKind, std::int64_t detail = 0);

    AnomalySink &sink_;
    std::bitset<65536> unknown_links_; // link types already reported
    FrameNumber frame_ = 0;
    bool cut_by_mirror_ = false;
};

} // namespace iscsiscope
