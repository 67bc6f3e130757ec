// SPDX-License-Identifier: GPL-2.0-or-later
// TcpEngine: assigns segments to connections, reassembles the streams and reports both to a StreamSink.
#pragma once

#include "analyzer/capture/anomaly.h"
#include "analyzer/tcp/stream/connection.h"

#include <memory>

namespace iscsiscope {

struct TcpEngineOptions {
    // Open connections at the same time; beyond it those idle longest are closed as evicted.
    std::size_t max_connections = 2'000'000;
    // Bytes of payload kept per direction behind a hole; beyond it only times are kept.
    std::size_t max_kept_bytes = std::size_t{4} << 20;
};

// Not thread-safe. The sinks must outlive the engine. Memory grows with the number of open connections and
// the bytes that wait behind holes. Connections that have ended are freed 60 s of capture time later.
class TcpEngine {
public:
    TcpEngine(StreamSink &, AnomalySink &, TcpEngineOptions = {});
    ~TcpEngine();

    // Takes the next segment, in file order.
    void feed(const Segment &);
    // Returns the number of connections so far, including those that have ended.
    std::uint64_t connections_seen() const;
    // Gives up all holes and closes all connections; to be called at the end of the capture.
    void finish();

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace iscsiscope
