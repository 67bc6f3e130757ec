// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/trackers/order_tracker.h"

#include "analyzer/base/ratio.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace iscsiscope {
namespace {

constexpr std::uint64_t enough_choices = 20;
constexpr double recognised = 0.9;
constexpr std::size_t tried_in_full = 8; // connections: 7! orders

} // namespace

double best_turn_share(const std::vector<std::vector<std::uint64_t>> &turns) {
    std::uint64_t all = 0, best = 0;
    for (const auto &row : turns)
        all = std::accumulate(row.begin(), row.end(), all);
    if (all == 0 || turns.size() < 2)
        return 0;
    if (turns.size() <= tried_in_full) {
        // A cyclic order may begin with any connection: here with 0.
        std::vector<std::size_t> order(turns.size() - 1);
        std::iota(order.begin(), order.end(), std::size_t{1});
        do {
            std::uint64_t fits = turns[0][order.front()] + turns[order.back()][0];
            for (std::size_t i = 1; i < order.size(); ++i)
                fits += turns[order[i - 1]][order[i]];
            best = std::max(best, fits);
        } while (std::next_permutation(order.begin(), order.end()));
    } else {
        std::vector<bool> visited(turns.size());
        std::size_t at = 0;
        for (std::size_t n = 0; n < turns.size(); ++n) {
            visited[at] = true;
            std::size_t to = 0;
            std::uint64_t most = 0;
            for (std::size_t k = 0; k < turns.size(); ++k)
                if ((!visited[k] || (n + 1 == turns.size() && k == 0)) && turns[at][k] >= most) {
                    most = turns[at][k];
                    to = k;
                }
            best += most;
            at = to;
        }
    }
    return static_cast<double>(best) / static_cast<double>(all);
}

OrderTracker::State *OrderTracker::of(const Member &m) {
    const MemberUnit &root = *m.unit->root();
    return root.group.size() < 2 ? nullptr : &states_.of(root.index);
}

void OrderTracker::ended(const Member &m, Time due) {
    if (State *s = of(m))
        s->ends.push({due, m.index});
}

void OrderTracker::choose(State &s, const Member &m) {
    ++s.choices;
    std::uint32_t least = s.load[m.index], most = least;
    for (const Member *other : m.unit->root()->group)
        if (other->open) {
            least = std::min(least, s.load[other->index]);
            most = std::max(most, s.load[other->index]);
        }
    if (least == most)
        return;
    ++s.unequal;
    s.least += s.load[m.index] == least ? 1 : 0;
}

void OrderTracker::end_hold(State &s, Time at) {
    const Hold hold = *s.hold;
    s.hold.reset();
    const Passed *missing = s.find(hold.missing);
    const Time from = std::max(hold.from, s.held_until);
    if (missing == nullptr || at <= from)
        return; // the missing command was not seen: its connection is not known
    s.held_until = at;
    HoldFigures::Member &m = s.holds[missing->member];
    ++m.holds;
    m.held += at - from;
    m.lengths.add(to_ns(at - from));
    if (at - from > m.longest) {
        m.longest = at - from;
        m.longest_frame = missing->frame;
    }
}

void OrderTracker::advance(State &s) {
    while (s.find(*s.next) != nullptr)
        ++*s.next;
}

void OrderTracker::sent(const Member &m, const Pdu &pdu) {
    State *found = of(m);
    if (found == nullptr)
        return;
    State &s = *found;
    for (; !s.ends.empty() && s.ends.front().first <= pdu.first_seen; s.ends.pop())
        if (std::uint32_t &load = s.load[s.ends.front().second]; load != 0)
            --load;
    const CmdSn n = pdu.view().cmd_sn();
    if (s.highest && distance(n, *s.highest) >= static_cast<std::int32_t>(ring_size))
        return; // older than the ring
    if (s.find(n) != nullptr)
        return; // a retry
    s.ring[n.value % ring_size] = {n, m.index, pdu.header_delivered, pdu.frame, true};
    ++s.holds[m.index].commands;
    if (s.find(n - 1) != nullptr) {
        ++s.turns[{s.find(n - 1)->member, m.index}];
        choose(s, m);
    }
    s.load[m.index] += pdu.view().opcode() == Opcode::scsi_command ? 1 : 0;
    if (s.find(n + 1) != nullptr)
        ++s.turns[{m.index, s.find(n + 1)->member}];
    if (!s.highest || *s.highest < n)
        s.highest = n;
    if (!s.next)
        s.next = s.expected && *s.expected <= n ? *s.expected : n;
    if (n == *s.next) {
        if (s.hold && s.hold->missing == n)
            end_hold(s, pdu.header_delivered + m.one_way_to_target);
        advance(s);
    } else if (*s.next < n && !s.hold && !(s.expected && *s.next < *s.expected)) {
        s.hold = Hold{*s.next, pdu.header_delivered + m.one_way_to_target};
    }
}

void OrderTracker::answered(const Member &m, const Pdu &pdu) {
    State *found = of(m);
    if (found == nullptr)
        return;
    State &s = *found;
    const CmdSn expected = pdu.view().exp_cmd_sn();
    if (s.expected && expected <= *s.expected)
        return;
    s.expected = expected;
    // The target has received numbers that the capture does not hold: their connection is not known.
    if (s.hold && s.hold->missing < expected)
        s.hold.reset();
    if (s.next && *s.next < expected) {
        s.next = expected;
        advance(s);
    }
}

void OrderTracker::join(const MemberUnit &, const MemberUnit &from) {
    // The state of `from` is dropped; that of the other group continues.
    states_.drop(from.index);
}

std::vector<DispatchFigures> OrderTracker::dispatch(const MemberTable &table) const {
    std::vector<DispatchFigures> all;
    for (const auto &unit : table.units()) {
        const State *const kept = states_.find(unit->index);
        if (unit->group.size() < 2 || kept == nullptr)
            continue;
        const State &s = *kept;
        DispatchFigures f;
        f.session = group_led_by(unit->session);
        std::vector<const Member *> members(unit->group.begin(), unit->group.end());
        std::ranges::sort(members, {}, &Member::stream);
        bool at_initiator = true;
        std::vector<std::uint32_t> busy; // connections with commands
        for (const Member *m : members) {
            f.streams.push_back(m->stream);
            at_initiator &= m->rtt_to_initiator <= m->one_way_to_target;
            f.commands.push_back(s.commands_of(m->index));
            if (f.commands.back() != 0)
                busy.push_back(m->index);
        }
        f.choices = s.choices;
        f.unequal_choices = s.unequal;
        f.least_loaded_share = ratio(s.least, s.unequal);
        if (busy.size() <= max_connections) {
            std::vector<std::vector<std::uint64_t>> turns(busy.size(),
                                                          std::vector<std::uint64_t>(busy.size()));
            for (std::size_t i = 0; i < busy.size(); ++i)
                for (std::size_t k = 0; k < busy.size(); ++k)
                    if (const auto cell = s.turns.find({busy[i], busy[k]}); cell != s.turns.end())
                        turns[i][k] = cell->second;
            f.round_robin_share = best_turn_share(turns);
        }
        if (f.choices < enough_choices)
            f.policy = DispatchPolicy::unknown;
        else if (busy.size() < 2)
            f.policy = DispatchPolicy::single;
        else if (f.round_robin_share >= recognised)
            f.policy = DispatchPolicy::round_robin;
        else if (f.unequal_choices >= enough_choices && f.least_loaded_share >= recognised)
            f.policy = DispatchPolicy::least_loaded;
        else
            f.policy = at_initiator ? DispatchPolicy::other : DispatchPolicy::unknown;
        all.push_back(std::move(f));
    }
    return all;
}

std::vector<HoldFigures> OrderTracker::take_holds(const MemberTable &table,
                                                  const std::map<GroupId, Duration> &active) {
    std::vector<HoldFigures> all;
    for (const auto &unit : table.units()) {
        State *const kept = states_.find(unit->index);
        if (unit->group.size() < 2 || kept == nullptr)
            continue;
        State &s = *kept;
        HoldFigures f;
        f.session = group_led_by(unit->session);
        f.whole = true;
        for (const Member *member : unit->group) {
            HoldFigures::Member m = std::move(s.holds[member->index]);
            m.stream = member->stream;
            f.whole &= member->one_way_to_target * 4 <= member->rtt_to_initiator;
            f.held += m.held;
            f.members.push_back(std::move(m));
        }
        std::ranges::sort(f.members, {}, &HoldFigures::Member::stream);
        if (const auto life = active.find(f.session); life != active.end())
            f.share = ratio(f.held, life->second);
        all.push_back(std::move(f));
    }
    return all;
}

} // namespace iscsiscope
