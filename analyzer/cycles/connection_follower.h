// SPDX-License-Identifier: GPL-2.0-or-later
// ConnectionFollower: the tcp, iscsi and cycles rooms, for connections that a ConnectionDirectory has found.
//
// In: placed segments and closings, those of one connection in file order. Connections meet where a login
// joins or replaces a session, or takes the place of a connection: their order must be that of the file
//  - for all connections that are not settled(), between each other, and no thread may follow others then;
//  - for the connections of one session (companions()), between each other;
//  - for the connections on which a login acts: they are asked for through FollowOrder.
// All others may come in any order, and in several threads, each those of other sessions. Out: records, those
// that a segment or a closing causes while it is worked off. It depends on neither files nor Wireshark nor
// Qt.
#pragma once

#include "analyzer/cycles/cycle_engine.h"
#include "analyzer/cycles/records/cycle_options.h"
#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/iscsi/framing/iscsi_engine.h"
#include "analyzer/tcp/stream/tcp_engine.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace iscsiscope {

struct EngineOptions {
    ConnectionLimits limits;
    TcpEngineOptions tcp;
    IscsiEngineOptions iscsi;
    CycleOptions cycles;
    // Enables TCP analysis: sender state and limit, retransmissions and their classes (the tables of
    // connection_records.h). Without it gaps whose cause lies in TCP are mostly unclassified.
    bool tcp_analysis = true;
};

// The sinks of the tables must outlive it.
class ConnectionFollower {
public:
    // order: null where everything comes in file order.
    ConnectionFollower(const RecordTables &, const EngineOptions &, FollowOrder *order = nullptr);
    ~ConnectionFollower();

    void follow(const Placement &, const Segment &);
    void close(const Closing &);
    // What FollowOrder puts off.
    void end(Session &);
    void act(std::uint32_t slot);

    // True once the connection that has this slot belongs to a session, or is known not to speak iSCSI.
    bool settled(std::uint32_t slot) const;
    // The slots of the connections of its session; empty: it has none, or has it alone.
    std::vector<std::uint32_t> companions(std::uint32_t slot) const;

    // Tasks begun so far.
    std::uint64_t tasks_begun() const;
    // The lowest number of a task that records to come may name; where there is none, a higher one than all.
    CycleId oldest_cycle() const;

    IscsiCoverage coverage() const;
    // How many ended sessions have been forgotten (SessionTable).
    std::uint64_t sessions_forgotten() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace iscsiscope
