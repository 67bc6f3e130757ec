// SPDX-License-Identifier: GPL-2.0-or-later
// AttemptRecord: one attempt to open a TCP connection, from its first SYN to the answer or to its last SYN;
// and the records of single segments and connections that ConnectionAttempts makes it of.
#pragma once

#include "analyzer/base/ids.h"
#include "analyzer/capture/segment.h"
#include "analyzer/tcp/hosts/side.h"

#include <array>
#include <cstdint>
#include <optional>

namespace iscsiscope {

enum class AttemptOutcome : std::uint8_t {
    accepted,   // answered by SYN/ACK, or the opener went on as after one
    refused,    // answered by RST
    unanswered, // two waits of the opener without an answer, or a long one
    not_known,  // the capture ends too early, or may not hold the answer
};

// A segment with SYN or RST of any connection that is neither a copy nor damaged. It shows how an attempt
// begins and how it is answered.
struct HandshakeRecord {
    StreamId stream;
    Side sender{};
    Endpoint source, destination;
    std::uint8_t flags = 0;
    std::uint32_t sequence = 0, acknowledgment = 0;
    Time time{};
    FrameNumber frame = 0;
    bool answered = false; // a SYN of the acceptor was seen
};

// A TCP connection of any kind that is followed no longer.
struct ForgottenRecord {
    StreamId stream;
    FrameNumber last_frame = 0;
    std::array<std::optional<IpAddress>, 2> hosts; // by Side; empty: the capture holds no segment of it
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
