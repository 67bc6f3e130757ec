// SPDX-License-Identifier: GPL-2.0-or-later
// The whole engine in one object: segments in, records out. Knows nothing of files, Wireshark or Qt.
#pragma once

#include "analyzer/cycles/records/cycle_options.h"
#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/iscsi/framing/iscsi_engine.h"
#include "analyzer/tcp/stream/tcp_engine.h"

#include <memory>

namespace iscsiscope {

struct EngineOptions {
    TcpEngineOptions tcp;
    IscsiEngineOptions iscsi;
    CycleOptions cycles;
    // What senders knew and what held them, retransmissions and their classes: on_tcp_… of the sink. Without
    // it gaps whose cause lies in TCP are mostly unclassified.
    bool tcp_analysis = true;
};

// Not thread-safe; the sink must outlive it. The sink's functions are called from feed() and finish().
class Engine {
public:
    explicit Engine(RecordSink &, EngineOptions = {});
    ~Engine();

    void feed(const Segment &);
    // No more segments: what is open becomes final.
    void finish();

    const IscsiCoverage &coverage() const;
    // All TCP connections met, iSCSI or not.
    std::uint64_t tcp_connections() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace iscsiscope
