// SPDX-License-Identifier: GPL-2.0-or-later
// MissedBytes: whether bytes that no frame holds have passed since the last payload frame of a connection.
//
// In: the ACKs that show such bytes (PassedBytes), and the payload frames. Out: bytes_missed and
// missed_ack_frame of GapEvidence. States: nothing missed; missed, from such an ACK until the next payload
// frame. One ACK is kept, the last.
#pragma once

#include "analyzer/cycles/gaps/evidence/gap_evidence.h"
#include "analyzer/tcp/stream/connection.h"

#include <cstdint>

namespace iscsiscope {

class MissedBytes {
public:
    // An ACK covers bytes of this sender, of which those from the offset on are in no frame.
    void acknowledged(Side sender, std::uint64_t from, FrameNumber ack) {
        missed_ = true;
        sender_ = sender;
        from_ = from;
        ack_frame_ = ack;
    }
    // The payload frame that ends the interval. A mirror port may show an ACK before the data it covers: then
    // nothing was missed.
    void arrived(Side sender, std::uint64_t offset) {
        if (missed_ && sender == sender_ && offset <= from_)
            missed_ = false;
    }
    void describe(GapEvidence &e) const {
        e.bytes_missed = missed_;
        e.missed_ack_frame = ack_frame_;
    }
    // The next interval begins.
    void clear() { missed_ = false; }

private:
    std::uint64_t from_ = 0;
    OptionalFrame ack_frame_; // remains when missed_ ends
    Side sender_{};
    bool missed_ = false;
};

} // namespace iscsiscope
