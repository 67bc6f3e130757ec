// SPDX-License-Identifier: GPL-2.0-or-later
// TcpEngine: assigns segments to connections, reassembles the streams and reports both to a StreamSink.
#pragma once

#include "analyzer/capture/anomaly.h"
#include "analyzer/tcp/stream/connection.h"

#include <memory>

namespace iscsiscope {

struct TcpEngineOptions {
    // Most connections at the same time, up to 1.3 kilobytes each with what later rooms keep of them; and the
    // most of these whose payload the sink needs (iSCSI, or not known for anything else), of which later
    // rooms keep twelve kilobytes and more each. Beyond a limit the connections that are forgotten first are
    // those that have ended (RST or both FINs), then those without payload (a flood of SYNs), then those
    // whose payload the sink does not need, then the others; among equals those idle longest. They are closed
    // as evicted.
    std::size_t max_connections = 131'072;
    std::size_t max_followed = 16'384;
    // Bytes of payload kept per direction behind a hole; beyond it only times are kept. PieceOrder keeps as
    // many, of both directions of a connection together; beyond it all pieces that wait there are delivered.
    std::size_t max_kept_bytes = std::size_t{4} << 20;
};

// Not thread-safe. The sinks must outlive the engine. Memory grows with the number of open connections and
// the bytes that wait, behind holes or in PieceOrder, both of which are bounded. Connections that have ended
// are freed 60 s of capture time later.
class TcpEngine {
public:
    TcpEngine(StreamSink &, AnomalySink &, TcpEngineOptions = {});
    ~TcpEngine();

    // Takes the next segment, in file order.
    void feed(const Segment &);
    // Returns the number of connections so far, including those that have ended.
    std::uint64_t connections_seen() const;
    // Returns how many were evicted that had not ended: later segments of theirs open another connection.
    std::uint64_t connections_forgotten() const;
    // Gives up all holes and closes all connections; to be called at the end of the capture.
    void finish();

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace iscsiscope
