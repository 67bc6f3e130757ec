// SPDX-License-Identifier: GPL-2.0-or-later
// Follows the order of commands in sessions of several connections: the connection that the initiator chooses
// for each command, and the commands that arrive late and so hold up those of other connections.
#pragma once

#include "analyzer/base/containers/by_index.h"
#include "analyzer/base/containers/fifo.h"
#include "analyzer/sessions/figures/throughput_figures.h"
#include "analyzer/sessions/grouping/member_table.h"

#include <array>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace iscsiscope {

class OrderTracker {
public:
    static constexpr std::size_t max_connections = 16; // of one session, for the dispatch policy

    // A command that takes a CmdSN; called before it counts as outstanding.
    void sent(const Member &, const Pdu &);
    // A PDU of the target in a session of several connections.
    void answered(const Member &, const Pdu &);
    // A task ended. `due`: when its response reaches the initiator.
    void ended(const Member &, Time due);
    void join(const MemberUnit &into, const MemberUnit &from);

    std::vector<DispatchFigures> dispatch(const MemberTable &) const;
    // active: the active life of each session by its number, for HoldFigures::share. To be called once.
    std::vector<HoldFigures> take_holds(const MemberTable &, const std::map<GroupId, Duration> &active);

private:
    static constexpr std::size_t ring_size = 1024;
    struct Passed {
        CmdSn number;
        std::uint32_t member = 0;
        Time at{}; // when its header had passed the tap
        FrameNumber frame = 0;
        bool used = false;
    };
    struct Hold {
        CmdSn missing;
        Time from{};
    };
    struct State {
        std::vector<Passed> ring = std::vector<Passed>(ring_size);
        std::optional<CmdSn> next;     // lowest number that has not passed the tap
        std::optional<CmdSn> highest;  // highest number that has
        std::optional<CmdSn> expected; // latest ExpCmdSN
        std::optional<Hold> hold;      // the current hold
        // Commands outstanding as the initiator knows them, by member.
        std::map<std::uint32_t, std::uint32_t> load;
        Fifo<std::pair<Time, std::uint32_t>> ends; // ends of tasks that have not reached the initiator
        Time held_until = Time::min();
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> turns; // from member to member
        std::uint64_t choices = 0, unequal = 0, least = 0;
        std::map<std::uint32_t, HoldFigures::Member> holds; // by member

        std::uint64_t commands_of(std::uint32_t member) const {
            const auto at = holds.find(member);
            return at == holds.end() ? 0 : at->second.commands;
        }
        Passed *find(CmdSn n) {
            Passed &p = ring[n.value % ring_size];
            return p.used && p.number == n ? &p : nullptr;
        }
    };
    State *of(const Member &);
    void advance(State &);
    void end_hold(State &, Time at);
    void choose(State &, const Member &);

    ByIndex<State> states_; // by unit; null while it has one connection
};

// Returns the share of choices, 0..1, that the best fixed cyclic order of the connections explains.
// turns[i][k]: how often a command on connection k followed one on connection i. Exact up to 8 connections,
// else a greedy estimate.
double best_turn_share(const std::vector<std::vector<std::uint64_t>> &turns);

} // namespace iscsiscope
