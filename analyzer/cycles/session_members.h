// SPDX-License-Identifier: GPL-2.0-or-later
// What of a connection must be known to those who decide in which order connections are followed
// (ConnectionFollower): whether it belongs to a session, and with which others; and which tasks records to
// come may name.
#pragma once

#include "analyzer/cycles/cycle_connection.h"

#include <cstdint>
#include <vector>

namespace iscsiscope {

// The slots of the connections of a session.
inline std::vector<std::uint32_t> slots_of(const Session &session) {
    std::vector<std::uint32_t> slots_found;
    for (const CycleConnection *member : session.members)
        slots_found.push_back(member->tcp.slot);
    return slots_found;
}

inline bool in_session(const Connection &tcp) {
    const CycleConnection *c = cycles_of(tcp);
    return c != nullptr && c->session != nullptr;
}

// The slots of the connections of its session; empty: it has none, or has it alone.
inline std::vector<std::uint32_t> companions(const Connection &tcp) {
    const CycleConnection *c = cycles_of(tcp);
    if (c == nullptr || c->session == nullptr || c->session->members.size() < 2)
        return {};
    return slots_of(*c->session);
}

// Shows the tasks that records of the connection may name, apart from those that have no final record yet.
inline void show(const Connection &tcp, OldestCycle &oldest) {
    const CycleConnection *c = cycles_of(tcp);
    if (c == nullptr)
        return;
    for (const PduRanges &ranges : c->pdus.ranges())
        ranges.show(oldest);
    c->gaps.pending().show(oldest);
    c->ledger.show(oldest);
}

} // namespace iscsiscope
