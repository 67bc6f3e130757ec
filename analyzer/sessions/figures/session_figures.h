// SPDX-License-Identifier: GPL-2.0-or-later
// SessionFigures: the result of this room, as plain values that stay valid by themselves. Every session
// number in it is that of a group (SessionGroup::session); a session that was not joined with another keeps
// the engine's number.
#pragma once

#include "analyzer/sessions/figures/conformance.h"
#include "analyzer/sessions/figures/digest_figures.h"
#include "analyzer/sessions/figures/discovery_figures.h"
#include "analyzer/sessions/figures/grouping_figures.h"
#include "analyzer/sessions/figures/load_figures.h"
#include "analyzer/sessions/figures/login_figures.h"
#include "analyzer/sessions/figures/path_figures.h"
#include "analyzer/sessions/figures/shared_writes.h"
#include "analyzer/sessions/figures/table_figures.h"
#include "analyzer/sessions/figures/throughput_figures.h"

#include <array>
#include <set>
#include <vector>

namespace iscsiscope {

// Counts of what exceeded the fixed sizes of the tables; all zero in ordinary captures.
struct SessionLimits {
    // Connections beyond 4,096: they are in no figure of this room except the conformance rows.
    std::uint64_t connections_left_out = 0;
    std::uint64_t intervals_left_out = 0;
    std::uint64_t access_patterns_left_out = 0; // commands of LUNs beyond 1,024
    bool any() const { return connections_left_out + intervals_left_out + access_patterns_left_out != 0; }
};

struct SessionFigures {
    std::vector<SessionGroup> groups;          // by number
    std::vector<ThroughputFigures> throughput; // sessions with a task, by number
    std::vector<DispatchFigures> dispatch;     // sessions of several connections
    std::vector<HoldFigures> holds;            // sessions of several connections
    std::vector<PathGroup> path_groups;        // MPIO
    std::vector<MirrorPair> mirrors;           // RAID1

    std::vector<DepthFigures> connection_depth; // by stream
    std::vector<DepthFigures> session_depth;    // by group
    std::vector<WindowFigures> windows;         // by session
    std::vector<NopFigures> nops;               // connections with a NOP, by stream

    TaskTables tables;
    std::vector<AccessFigures> access; // by LUN and type
    LoginSummary logins;
    std::vector<DiscoveryFigures> discoveries; // by connection; at most 1,024
    std::vector<DigestFigures> digests;        // connections with a digest that could be checked, by number
    PathFigures paths;                         // over time
    std::vector<SharedWrites>
        shared_writes;                   // pairs of hosts with ranges of blocks that both wrote; at most 64
    std::set<std::uint16_t> named_ports; // of portals that targets named (TargetAddress)
    ConformanceFigures conformance;
    SessionLimits limits;

    // Returns null if there is no such connection; valid as long as `groups` is unchanged.
    const SessionGroup *group_of_stream(StreamId stream) const;
};

} // namespace iscsiscope
