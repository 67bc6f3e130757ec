// SPDX-License-Identifier: GPL-2.0-or-later
// Engine: the complete pipeline of the tcp, iscsi and cycles rooms. Decoded segments go in, in file order;
// records come out into RecordTables. It depends on neither files nor Wireshark nor Qt.
#pragma once

#include "analyzer/cycles/records/cycle_options.h"
#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/iscsi/framing/iscsi_engine.h"
#include "analyzer/tcp/stream/tcp_engine.h"

#include <cstdint>
#include <memory>

namespace iscsiscope {

struct EngineOptions {
    TcpEngineOptions tcp;
    IscsiEngineOptions iscsi;
    CycleOptions cycles;
    // Enables TCP analysis: sender state and limit, retransmissions and their classes (the tables of
    // connection_records.h). Without it gaps whose cause lies in TCP are mostly unclassified.
    bool tcp_analysis = true;
};

// What was forgotten so that memory stays bounded (TcpEngineOptions, SessionTable).
struct ForgottenState {
    std::uint64_t connections = 0; // that had not ended: later segments of theirs count as another connection
    std::uint64_t sessions = 0;    // that had ended: a login that reinstates one counts as a new session

    bool any() const { return connections != 0 || sessions != 0; }
};

// Not thread-safe; the sinks of the tables must outlive it. They are called from feed() and finish().
class Engine {
public:
    explicit Engine(RecordTables, EngineOptions = {});
    ~Engine();

    void feed(const Segment &);
    // Ends the capture: closes all connections, so that all records become final.
    void finish();

    const IscsiCoverage &coverage() const;
    // All TCP connections of the capture, iSCSI or not.
    std::uint64_t tcp_connections() const;
    ForgottenState forgotten() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace iscsiscope
