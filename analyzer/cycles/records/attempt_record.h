// SPDX-License-Identifier: GPL-2.0-or-later
// AttemptRecord: one attempt to open a TCP connection, from its first SYN to the answer or to its last SYN.
#pragma once

#include "analyzer/base/ids.h"
#include "analyzer/capture/segment.h"

#include <cstdint>

namespace iscsiscope {

enum class AttemptOutcome : std::uint8_t {
    accepted,   // answered by SYN/ACK, or the opener went on as after one
    refused,    // answered by RST
    unanswered, // two waits of the opener without an answer, or a long one
    not_known,  // the capture ends too early, or may not hold the answer
};

struct AttemptRecord {
    StreamId stream;
    Endpoint initiator, portal;
    bool known_port = false; // the portal's port is 3260, 860 or one that the user named
    AttemptOutcome outcome = AttemptOutcome::not_known;
    bool portal_seen = false; // the capture holds a segment from the portal's host
    std::uint32_t syns = 0;   // repeats included
    Time start{}, end{};      // of the first SYN; of the answer or, without one, the last SYN
    FrameNumber first_frame = 0, last_syn_frame = 0;
    OptionalFrame answer_frame; // empty: no answer
};

} // namespace iscsiscope
