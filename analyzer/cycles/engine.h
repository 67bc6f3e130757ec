// SPDX-License-Identifier: GPL-2.0-or-later
// Engine: the complete pipeline of the tcp, iscsi and cycles rooms, for who has one segment at a time.
// Decoded segments go in, in file order; records come out into RecordTables.
#pragma once

#include "analyzer/cycles/attempts/connection_attempts.h"
#include "analyzer/cycles/connection_follower.h"

namespace iscsiscope {

// What was forgotten so that memory stays bounded (ConnectionLimits, SessionTable).
struct ForgottenState {
    std::uint64_t connections = 0; // that had not ended: later segments of theirs count as another connection
    std::uint64_t sessions = 0;    // that had ended: a login that reinstates one counts as a new session

    bool any() const { return connections != 0 || sessions != 0; }
};

// The directory that finds the connections of a capture in which iSCSI is looked for.
ConnectionDirectory directory_for(const EngineOptions &);

// Not thread-safe; the sinks of the tables must outlive it. They are called from feed() and finish().
class Engine {
public:
    explicit Engine(RecordTables, const EngineOptions & = {});
    Engine(const Engine &) = delete;
    Engine &operator=(const Engine &) = delete;

    // The next segment, in file order.
    void feed(const Segment &);
    // Ends the capture: closes all connections, so that all records become final.
    void finish();

    IscsiCoverage coverage() const { return follower_.coverage(); }
    // All TCP connections of the capture, iSCSI or not.
    std::uint64_t tcp_connections() const { return directory_.connections_seen(); }
    ForgottenState forgotten() const {
        return {directory_.connections_forgotten(), follower_.sessions_forgotten()};
    }

private:
    RecordTables records_;
    ConnectionAttempts attempts_;
    ConnectionDirectory directory_;
    ConnectionFollower follower_;
};

} // namespace iscsiscope
