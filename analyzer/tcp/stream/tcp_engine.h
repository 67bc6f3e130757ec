// SPDX-License-Identifier: GPL-2.0-or-later
// Segments → connections and their byte streams.
#pragma once

#include "analyzer/capture/anomaly.h"
#include "analyzer/tcp/stream/connection.h"

#include <memory>

namespace iscsiscope {

struct TcpEngineOptions {
    // Open connections kept at once; beyond it the longest idle one is closed as evicted.
    std::size_t max_connections = 2'000'000;
    // Payload kept per direction behind a hole; beyond it only times are kept.
    std::size_t max_kept_bytes = std::size_t{4} << 20;
};

// Not thread-safe. Sinks must outlive the engine. Memory: open connections plus what waits behind
// holes; connections that have ended are forgotten at once or after a short linger of capture time.
class TcpEngine {
public:
    TcpEngine(StreamSink &, AnomalySink &, TcpEngineOptions = {});
    ~TcpEngine();

    // Segments in file order.
    void feed(const Segment &);
    // Connections so far, those that have ended included.
    std::uint64_t connections_met() const;
    // The capture has ended: gives up all holes and closes all connections.
    void finish();

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace iscsiscope
