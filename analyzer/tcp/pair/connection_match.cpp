// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/pair/connection_match.h"

#include "analyzer/base/containers/keyed_hash.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace iscsiscope {
namespace {

constexpr std::size_t no_match = ConnectionMatch::no_match;

// Returns the index in b of each segment of a, or no_match. Equal fingerprints are matched in order.
std::vector<std::size_t> match(const std::vector<PairSegment> &a, const std::vector<PairSegment> &b) {
    std::unordered_map<std::uint64_t, std::vector<std::size_t>, KeyedWordHash> places; // last first
    places.reserve(b.size());
    for (std::size_t i = b.size(); i-- > 0;)
        places[b[i].fingerprint].push_back(i);
    std::vector<std::size_t> found(a.size(), no_match);
    for (std::size_t i = 0; i < a.size(); ++i)
        if (const auto p = places.find(a[i].fingerprint); p != places.end() && !p->second.empty()) {
            found[i] = p->second.back();
            p->second.pop_back();
        }
    return found;
}

// Returns whether the endpoints are equal, and the initial sequence numbers where both captures hold them.
bool may_be_same(const PairStream &a, const PairStream &b, ConnectionMatch &c) {
    c.turned = a.opener == b.acceptor && a.acceptor == b.opener;
    if (!c.turned && !(a.opener == b.opener && a.acceptor == b.acceptor))
        return false;
    c.by = PairMatch::sequence_range;
    for (std::size_t s = 0; s < 2; ++s) {
        const std::size_t t = c.turned ? 1 - s : s;
        if (!a.syn_seen[s] || !b.syn_seen[t])
            continue;
        if (a.initial_sequence[s] != b.initial_sequence[t])
            return false;
        c.by = PairMatch::initial_sequence;
    }
    return true;
}

// Finds which capture the opener's segments pass first, without aligned clocks: for two segments in opposite
// directions at about the same time, the difference of their time differences is the sum of two delays, and
// positive exactly if the assumed order is right. Where segments of one direction only are matched, the order
// follows from their time differences if both captures have the same clock.
void find_order(ConnectionMatch &c, bool same_clock) {
    std::int64_t votes = 0;
    const auto &a0 = c.a->sent[0].all, &a1 = c.a->sent[1].all;
    const auto &b0 = c.sent_b(Side::opener).all, &b1 = c.sent_b(Side::acceptor).all;
    std::size_t j = 0, last = no_match;
    bool any = false;
    for (std::size_t i = 0; i < a0.size(); ++i) {
        const std::size_t m0 = c.matches[0][i];
        if (m0 == no_match)
            continue;
        for (; j < a1.size() && a1[j].frame < a0[i].frame; ++j)
            if (c.matches[1][j] != no_match)
                last = j;
        if (last == no_match)
            continue;
        const Duration way = b0[m0].time - a0[i].time, back = b1[c.matches[1][last]].time - a1[last].time;
        votes += way >= back ? 1 : -1;
        any = true;
    }
    if (!any && same_clock)
        c.each([&](Side s, const PairSegment &a, const PairSegment &b) {
            votes += (b.time >= a.time) == (s == Side::opener) ? 1 : -1;
        });
    c.opener_first = votes >= 0;
}

// Matches segments that damage has given another fingerprint, because it altered a field of the TCP header.
// Of two such segments one has a wrong checksum; they agree in length and sequence number (numbers), or in
// length, TSval, IP identification and payload (identity).
void match_damaged(ConnectionMatch &c, Side s) {
    const PairSegments &a = c.sent_a(s), &b = c.sent_b(s);
    auto &matches = c.matches[index(s)];
    std::vector<bool> taken(b.all.size(), false);
    for (const std::size_t j : matches)
        if (j != no_match)
            taken[j] = true;
    const auto damaged = [](const PairSegment &x) { return x.checksum == TcpChecksum::wrong; };
    if (std::none_of(a.all.begin(), a.all.end(), damaged) &&
        std::none_of(b.all.begin(), b.all.end(), damaged))
        return;
    const auto pair_by = [&](std::uint32_t PairSegment::*key, bool same_payload) {
        std::multimap<std::uint32_t, std::size_t> left;
        for (std::size_t j = 0; j < b.all.size(); ++j)
            if (!taken[j] && b.all[j].*key != 0)
                left.emplace(b.all[j].*key, j);
        for (std::size_t i = 0; i < a.all.size() && !left.empty(); ++i) {
            if (matches[i] != no_match)
                continue;
            const auto [first, last] = left.equal_range(a.all[i].*key);
            const auto p = std::find_if(first, last, [&](const auto &entry) {
                const PairSegment &x = a.all[i], &y = b.all[entry.second];
                return damaged(x) != damaged(y) &&
                       !(same_payload && compare_payloads(a.payload(x), b.payload(y)).differs);
            });
            if (p == last)
                continue;
            matches[i] = p->second;
            taken[p->second] = true;
            left.erase(p);
        }
    };
    pair_by(&PairSegment::numbers, false);
    pair_by(&PairSegment::identity, true);
}

// The segments with wrong checksums of connections that the other capture does not have.
struct Stray {
    const PairStream *stream = nullptr;
    Side sender{};
    const PairSegment *segment = nullptr;
};
using Strays = std::unordered_multimap<std::uint64_t, Stray>; // by fingerprint

Strays strays_of(const std::vector<PairStream> &streams, const std::set<const PairStream *> &paired) {
    Strays strays;
    for (const PairStream &stream : streams)
        if (!paired.contains(&stream))
            for (const Side s : {Side::opener, Side::acceptor})
                for (const PairSegment &x : stream.sent[index(s)].all)
                    if (x.checksum == TcpChecksum::wrong)
                        strays.emplace(x.fingerprint, Stray{&stream, s, &x});
    return strays;
}

// Returns whether one end of the stray is that of the connection, in the same role.
bool shares_an_end(const Stray &x, const ConnectionMatch &c, Side sender) {
    const auto end = [](const PairStream &s, Side side) {
        return side == Side::opener ? s.opener : s.acceptor;
    };
    return end(*x.stream, x.sender) == end(*c.a, sender) ||
           end(*x.stream, other(x.sender)) == end(*c.a, other(sender));
}

void find_misdirected(ConnectionMatch &c, Side s, Strays &strays) {
    const PairSegments &first = c.a_first(s) ? c.sent_a(s) : c.sent_b(s);
    std::vector<bool> matched(first.all.size(), false);
    for (std::size_t i = 0; i < c.matches[index(s)].size(); ++i)
        if (const std::size_t j = c.matches[index(s)][i]; j != no_match)
            matched[c.a_first(s) ? i : j] = true;
    for (std::size_t i = 0; i < first.all.size() && !strays.empty(); ++i) {
        const PairSegment &sent = first.all[i];
        if (matched[i] || sent.checksum == TcpChecksum::wrong)
            continue;
        const auto [from, to] = strays.equal_range(sent.fingerprint);
        const auto p =
            std::find_if(from, to, [&](const auto &entry) { return shares_an_end(entry.second, c, s); });
        if (p == to)
            continue;
        const Stray &x = p->second;
        c.misdirected[index(s)].push_back(
            {&sent, x.segment, first.payload(sent), x.stream->sent[index(x.sender)].payload(*x.segment)});
        strays.erase(p);
    }
}

void find_misdirected(std::vector<ConnectionMatch> &connections, const std::vector<PairStream> &a,
                      const std::vector<PairStream> &b) {
    std::set<const PairStream *> paired;
    for (const ConnectionMatch &c : connections)
        paired.insert({c.a, c.b});
    Strays in_a = strays_of(a, paired), in_b = strays_of(b, paired);
    for (ConnectionMatch &c : connections)
        for (const Side s : {Side::opener, Side::acceptor})
            find_misdirected(c, s, c.a_first(s) ? in_b : in_a);
}

} // namespace

std::size_t ConnectionMatch::matched() const {
    std::size_t n = 0;
    each([&n](Side, const PairSegment &, const PairSegment &) { ++n; });
    return n;
}

std::vector<ConnectionMatch> match_connections(const std::vector<PairStream> &a,
                                               const std::vector<PairStream> &b, bool same_clock) {
    using Key = std::pair<Endpoint, Endpoint>;
    const auto key = [](const PairStream &s) {
        return s.opener < s.acceptor ? Key{s.opener, s.acceptor} : Key{s.acceptor, s.opener};
    };
    std::multimap<Key, const PairStream *> waiting;
    for (const PairStream &s : b)
        waiting.emplace(key(s), &s);
    std::vector<ConnectionMatch> found;
    for (const PairStream &s : a) {
        ConnectionMatch best;
        std::size_t most = 0;
        auto taken = waiting.end();
        const auto [first, last] = waiting.equal_range(key(s));
        for (auto p = first; p != last; ++p) {
            ConnectionMatch c;
            c.a = &s;
            c.b = p->second;
            if (!may_be_same(s, *p->second, c))
                continue;
            for (const Side side : {Side::opener, Side::acceptor})
                c.matches[index(side)] = match(c.sent_a(side).all, c.sent_b(side).all);
            if (const std::size_t n = c.matched(); n > most) {
                most = n;
                best = std::move(c);
                taken = p;
            }
        }
        if (taken == waiting.end())
            continue;
        waiting.erase(taken);
        for (const Side side : {Side::opener, Side::acceptor})
            match_damaged(best, side);
        find_order(best, same_clock);
        found.push_back(std::move(best));
    }
    find_misdirected(found, a, b);
    return found;
}

} // namespace iscsiscope
