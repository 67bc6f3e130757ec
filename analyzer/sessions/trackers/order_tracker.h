// SPDX-License-Identifier: GPL-2.0-or-later
// Sessions of several connections: who gets the next command, and whose late command holds up the others.
#pragma once

#include "analyzer/base/fifo.h"
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
    static constexpr std::size_t most_connections = 16; // of one session, for the dispatch policy

    // A command that takes a number; before it counts as outstanding.
    void sent(const Member &, const Pdu &);
    // A PDU of the target, of a session of several connections.
    void answered(const Member &, const Pdu &);
    // A task ended; the initiator knows it from `due` on.
    void ended(const Member &, Time due);
    void join(const MemberUnit &into, const MemberUnit &from);

    std::vector<DispatchFigures> dispatch(const MemberTable &) const;
    // active: life of each session by number, for the share.
    std::vector<HoldFigures> take_holds(const MemberTable &, const std::map<std::uint64_t, Duration> &active);

private:
    static constexpr std::size_t ring_size = 1024;
    struct Passed {
        CmdSn number;
        std::uint32_t member = 0;
        Time at{}; // delivered at the tap
        FrameNumber frame = 0;
        bool used = false;
    };
    struct Hold {
        CmdSn missing;
        Time from{};
    };
    struct State {
        std::vector<Passed> ring = std::vector<Passed>(ring_size);
        std::optional<CmdSn> next;     // the lowest number that has not passed
        std::optional<CmdSn> highest;  // that has
        std::optional<CmdSn> expected; // by the target's last word
        std::optional<Hold> hold;
        // Commands outstanding as the initiator has them when it chooses, by member.
        std::map<std::uint32_t, std::uint32_t> load;
        Fifo<std::pair<Time, std::uint32_t>> ends; // on their way to it
        Time held_until{};
        std::map<std::uint32_t, std::map<std::uint32_t, std::uint64_t>> turns; // from member to member
        std::uint64_t choices = 0, unequal = 0, least = 0;
        std::map<std::uint32_t, std::uint64_t> commands;
        std::map<std::uint32_t, HoldFigures::Member> holds;

        Passed *find(CmdSn n) {
            Passed &p = ring[n.value % ring_size];
            return p.used && p.number == n ? &p : nullptr;
        }
    };
    State *of(const Member &);
    void advance(State &);
    void end_hold(State &, Time at);
    void choose(State &, const Member &);

    std::vector<std::unique_ptr<State>> states_; // by unit; none while it has one connection
    std::vector<Duration> half_loop_;            // to the target, by member
};

// The share of turns (from connection to connection, by place) that the best fixed turn over all of them
// explains.
double best_turn_share(const std::vector<std::vector<std::uint64_t>> &turns);

} // namespace iscsiscope
