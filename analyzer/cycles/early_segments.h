// SPDX-License-Identifier: GPL-2.0-or-later
// EarlySegments: holds back the segments before a connection's first payload, so that TcpDiagnosis allocates
// no state for the connections of a capture (possibly a million) that never carry data.
//
// In: the segments of a connection, from its first one on. Out, once one comes that is not kept: all of them,
// each with the connection as it was then. Only their headers are kept: a TcpEngine follows them once more.
// States of a connection: kept; then released or dropped, after which the caller asks no more.
#pragma once

#include "analyzer/tcp/stream/connection.h"

#include <cstddef>
#include <functional>

namespace iscsiscope {

class EarlySegments {
public:
    static constexpr std::size_t most = 4; // kept per connection: a handshake and a retransmitted SYN

    // Returns true if the segment has been kept. Returns false if it is to be passed to the diagnosis, after
    // the segments that release() delivers: it has payload, or its header does not hold all that matters.
    static bool keep(const Connection &, const SegmentReport &);
    // Ends the keeping for this connection. Delivers each kept segment, with the connection's state at that
    // segment, the notes being those of the connection.
    static void release(const Connection &,
                        const std::function<void(const Connection &, const SegmentReport &)> &deliver);
    // Drops the kept segments: the diagnosis does not need this connection.
    static void drop(const Connection &c) { c.notes->drop(NotesOf::early); }
};

} // namespace iscsiscope
