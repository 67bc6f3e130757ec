// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/grouping/grouping.h"

#include <algorithm>
#include <bit>

namespace iscsiscope {
namespace {

constexpr std::uint64_t first_evaluation = 32; // commands
constexpr std::uint64_t enough_handovers = 8;  // of units with an address in common
constexpr std::uint64_t few_handovers = 4;     // likewise, between long runs and without contradictions
constexpr std::uint64_t enough_in_runs = 32;   // commands on each side of few handovers
constexpr std::uint64_t enough_without_address = 32;
constexpr std::uint64_t enough_alone = 20; // commands

bool share_address(const MemberUnit &a, const MemberUnit &b) {
    for (const Member *m : a.members)
        for (const Member *n : b.members)
            if (m->initiator_end.address == n->initiator_end.address ||
                m->target_end.address == n->target_end.address)
                return true;
    return false;
}

bool convincing(const PairEvidence &e, const MemberUnit &a, const MemberUnit &b) {
    if (e.refuted())
        return false;
    // Within a session commands are sent in the order of their numbers. A busy connection may delay some, but
    // of unrelated units only half of the handovers would be in order.
    if (e.in_order * 4 < e.handovers * 3)
        return false;
    if (!share_address(a, b))
        return e.handovers >= enough_without_address;
    return e.handovers >= enough_handovers ||
           (e.handovers >= few_handovers && e.contradictions() == 0 && e.fewer_commands >= enough_in_runs);
}

// Of two candidates that exclude each other: true if `a` has at most a quarter of the disorder of `b`.
bool far_better(const PairEvidence &a, const PairEvidence &b) {
    const auto disorder = [](const PairEvidence &e) {
        return static_cast<double>(e.handovers - e.in_order) / static_cast<double>(e.handovers);
    };
    return disorder(a) * 4 <= disorder(b) && disorder(b) >= 0.02;
}

std::vector<MemberUnit *> units_of_group(const MemberTable &table, const MemberUnit *root) {
    std::vector<MemberUnit *> units;
    for (const auto &u : table.units())
        if (u->root() == root)
            units.push_back(u.get());
    return units;
}

bool groups_contradict(const MemberTable &table, const MemberUnit *a, const MemberUnit *b) {
    for (const MemberUnit *x : units_of_group(table, a))
        for (const MemberUnit *y : units_of_group(table, b))
            if (compare(x->evidence, y->evidence).refuted())
                return true;
    return false;
}

} // namespace

bool Grouping::due(const MemberUnit &u) {
    const std::uint64_t n = u.evidence.commands();
    return !u.certain && n >= first_evaluation && std::has_single_bit(n) && u.evidence.holes() != 0;
}

bool Grouping::comparable(const MemberUnit &a, const MemberUnit &b) const {
    if (b.certain || b.members.empty() || b.evidence.holes() == 0 || !b.evidence.latest())
        return false;
    // Different names mean different sessions, whatever the numbers are.
    const auto differ = [](const std::string &x, const std::string &y) {
        return !x.empty() && !y.empty() && x != y;
    };
    if (differ(a.initiator_name, b.initiator_name) || differ(a.target_name, b.target_name))
        return false;
    // The ranges of numbers kept must overlap or adjoin.
    return distance(*a.evidence.oldest(), *b.evidence.latest()) >= -1 &&
           distance(*b.evidence.oldest(), *a.evidence.latest()) >= -1;
}

std::vector<std::pair<MemberUnit *, MemberUnit *>> Grouping::evaluate(MemberUnit &unit) {
    std::vector<std::pair<MemberUnit *, MemberUnit *>> joined;
    if (unit.certain || unit.evidence.holes() == 0 || !unit.evidence.latest())
        return joined;
    struct Candidate {
        MemberUnit *unit;
        PairEvidence evidence;
        bool dropped = false;
    };
    std::vector<Candidate> candidates;
    std::size_t compared = 0;
    const auto &units = members_.units();
    for (auto u = units.rbegin(); u != units.rend() && compared < max_compared; ++u) {
        if (u->get() == &unit || !comparable(unit, **u))
            continue;
        ++compared;
        const PairEvidence e = compare(unit.evidence, (*u)->evidence);
        if (convincing(e, unit, **u))
            candidates.push_back({u->get(), e});
    }
    // Of candidates that contradict each other, both are dropped unless one fits far better: sessions whose
    // numbers advance alike may fit by chance.
    for (std::size_t i = 0; i < candidates.size(); ++i)
        for (std::size_t k = i + 1; k < candidates.size(); ++k) {
            Candidate &a = candidates[i], &b = candidates[k];
            if (a.unit->root() == b.unit->root() || !compare(a.unit->evidence, b.unit->evidence).refuted())
                continue;
            const bool a_better = far_better(a.evidence, b.evidence);
            const bool b_better = far_better(b.evidence, a.evidence);
            a.dropped |= !a_better;
            b.dropped |= !b_better;
        }
    for (const Candidate &c : candidates) {
        MemberUnit *mine = unit.root(), *theirs = c.unit->root();
        if (mine != theirs) {
            if (c.dropped || groups_contradict(members_, mine, theirs))
                continue;
            if (theirs->session < mine->session)
                std::swap(mine, theirs);
            MemberTable::join_groups(*mine, *theirs);
            joined.emplace_back(mine, theirs);
        }
        for (MemberUnit *u : {&unit, c.unit})
            if (!u->link || u->link->handovers < c.evidence.handovers)
                u->link = c.evidence;
    }
    return joined;
}

namespace {

// Counts the numbers missing on single units within the range that the evidence of all units covers, and how
// many of them are on other units of the group.
void count_holes(const std::vector<MemberUnit *> &units, SessionGroup &g) {
    const CmdSn from = *units.front()->evidence.latest();
    std::int64_t low = 0, high = 0;
    std::vector<std::vector<std::int64_t>> numbers;
    for (const MemberUnit *u : units) {
        auto &own = numbers.emplace_back();
        for (std::size_t i = 0; i < u->evidence.sent().size(); ++i)
            own.push_back(distance(from, u->evidence.sent()[i].number));
        std::ranges::sort(own);
        low = numbers.size() == 1 ? own.front() : std::max(low, own.front());
        high = numbers.size() == 1 ? own.back() : std::min(high, own.back());
    }
    std::vector<std::int64_t> all;
    for (const auto &own : numbers)
        all.insert(all.end(), own.begin(), own.end());
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (const auto &own : numbers)
        for (std::size_t i = 1; i < own.size(); ++i) {
            const std::int64_t first = std::max(own[i - 1] + 1, low), last = std::min(own[i] - 1, high);
            if (last < first)
                continue;
            g.holes += static_cast<std::uint64_t>(last - first + 1);
            g.holes_filled += static_cast<std::uint64_t>(std::ranges::upper_bound(all, last) -
                                                         std::ranges::lower_bound(all, first));
        }
}

// True if commands seen after a join refute it.
bool contradicts_itself(const std::vector<MemberUnit *> &units) {
    for (std::size_t i = 0; i < units.size(); ++i)
        for (std::size_t k = i + 1; k < units.size(); ++k)
            if (compare(units[i]->evidence, units[k]->evidence).refuted())
                return true;
    return false;
}

double rule_of_succession(std::uint64_t agreeing, std::uint64_t contradicting) {
    return static_cast<double>(agreeing + 1) / static_cast<double>(agreeing + contradicting + 2);
}

std::string plural(std::uint64_t n, const char *what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

SessionGroup described(MemberUnit &root, const std::vector<MemberUnit *> &units) {
    SessionGroup g;
    g.session = group_led_by(root.session);
    for (const MemberUnit *u : units) {
        g.sessions.push_back(u->session);
        for (const Member *m : u->members)
            g.streams.push_back(m->stream);
        if (g.initiator_name.empty())
            g.initiator_name = u->initiator_name;
        if (g.target_name.empty())
            g.target_name = u->target_name;
        g.commands += u->evidence.commands();
    }
    std::ranges::sort(g.sessions);
    std::ranges::sort(g.streams);
    return g;
}

void describe_single(const MemberUnit &u, SessionGroup &g) {
    const CommandEvidence &e = u.evidence;
    if (u.has_login) {
        g.by = GroupedBy::login;
        g.confidence = 1;
        g.reason = u.certain ? "by the logins in the capture"
                             : "by the logins in the capture; the session's first login is not among them";
        return;
    }
    g.holes = e.holes();
    if (e.commands() >= enough_alone && e.holes() * 100 <= e.stretch()) {
        g.by = GroupedBy::alone;
        g.confidence = rule_of_succession(e.successive(), e.commands() - 1 - e.successive());
        g.reason = "no login in the capture; its " + plural(e.commands(), "command number") +
                   (e.holes() == 0 ? " follow one another without a hole"
                                   : " follow one another but for " + plural(e.holes(), "number")) +
                   ", so that no other connection takes part";
        return;
    }
    g.by = GroupedBy::unassigned;
    g.reason = e.commands() < enough_alone
                   ? "no login in the capture, and " + plural(e.commands(), "command") +
                         " are too few to decide which session it belongs to"
                   : "no login in the capture; " + plural(e.holes(), "command number") +
                         " between its own are on no other connection in a way that fits";
}

void describe_joined(const std::vector<MemberUnit *> &units, SessionGroup &g) {
    g.by = GroupedBy::command_numbers;
    g.confidence = 1;
    for (const MemberUnit *u : units) {
        const PairEvidence link = u->link.value_or(PairEvidence{});
        g.confidence = std::min(g.confidence, rule_of_succession(link.handovers, link.contradictions()));
        g.handovers_agreeing += link.handovers;
        g.handovers_contradicting += link.contradictions();
    }
    count_holes(units, g);
    g.reason = "no login in the capture; the command number goes from one connection to the other " +
               plural(g.handovers_agreeing, "time") + ", " +
               (g.handovers_contradicting == 0 ? std::string("nothing contradicts it")
                                               : plural(g.handovers_contradicting, "contradiction")) +
               (g.holes == 0 ? std::string()
                             : "; " + std::to_string(g.holes_filled) + " of " + std::to_string(g.holes) +
                                   " missing numbers are on the others");
}

} // namespace

std::vector<SessionGroup> Grouping::groups() {
    for (const auto &u : members_.units())
        evaluate(*u);
    for (const auto &root : members_.units()) {
        const std::vector<MemberUnit *> units = units_of_group(members_, root.get());
        if (units.size() < 2 || !contradicts_itself(units))
            continue;
        for (MemberUnit *u : units) {
            u->joined_to = nullptr;
            u->group = u->members;
        }
    }
    std::vector<SessionGroup> result;
    for (const auto &root : members_.units()) {
        if (root->joined_to != nullptr || root->group.empty())
            continue;
        const std::vector<MemberUnit *> units = units_of_group(members_, root.get());
        SessionGroup g = described(*root, units);
        if (units.size() == 1)
            describe_single(*root, g);
        else
            describe_joined(units, g);
        result.push_back(std::move(g));
    }
    std::ranges::sort(result, {}, &SessionGroup::session);
    return result;
}

} // namespace iscsiscope
