// SPDX-License-Identifier: GPL-2.0-or-later
// FedTcp: a TcpEngine and the ConnectionDirectory that finds its connections.
#pragma once

#include "analyzer/tcp/stream/tcp_engine.h"

namespace iscsiscope {

class FedTcp {
public:
    FedTcp(StreamSink &sink, AnomalySink &anomalies, const TcpEngineOptions &options = {},
           const ConnectionLimits &limits = {}, const LookAtFirst &first = {})
        : directory_(limits, first), tcp_(sink, anomalies, options) {}

    // Takes the next segment, in file order.
    void feed(const Segment &s) {
        const Placement at = directory_.place(s);
        for (const Closing &c : directory_.closings())
            tcp_.close(c);
        tcp_.follow(at, s);
        directory_.take_retired();
    }
    // The capture has ended.
    void finish() {
        directory_.finish([this](const Closing &c) { tcp_.close(c); });
    }
    std::uint64_t connections_seen() const { return directory_.connections_seen(); }
    std::uint64_t connections_forgotten() const { return directory_.connections_forgotten(); }

private:
    ConnectionDirectory directory_;
    TcpEngine tcp_;
};

} // namespace iscsiscope
