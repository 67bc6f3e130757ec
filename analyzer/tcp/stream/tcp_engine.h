// SPDX-License-Identifier: GPL-2.0-or-later
// TcpEngine: follows the connections that a ConnectionDirectory has found: reassembles their streams and
// reports both to a StreamSink.
//
// In: the segments and the closings of each connection in file order; those of several connections may come
// in any order between them, and in several threads, each those of other connections; but no other thread may
// follow connections while a segment opens one. Out: the calls of StreamSink for them.
#pragma once

#include "analyzer/capture/anomaly.h"
#include "analyzer/tcp/stream/connection_directory.h"

#include <memory>

namespace iscsiscope {

struct TcpEngineOptions {
    // Bytes of payload kept per direction behind a hole; beyond it only times are kept. PieceOrder keeps as
    // many, of both directions of a connection together; beyond it all pieces that wait there are delivered.
    std::size_t max_kept_bytes = std::size_t{4} << 20;
};

// The sinks must outlive the engine. Memory grows with the number of open connections and
// the bytes that wait, behind holes or in PieceOrder, both of which are bounded. Connections that have ended
// are freed 60 s of capture time later.
class TcpEngine {
public:
    TcpEngine(StreamSink &, AnomalySink &, const TcpEngineOptions & = {});
    ~TcpEngine();

    void follow(const Placement &, const Segment &);
    // Gives up all holes and closes the connection.
    void close(const Closing &);
    // All slots are below.
    std::uint32_t slot_count() const;
    // Null: no connection is open that has this slot.
    const Connection *connection(std::uint32_t slot) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace iscsiscope
