// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the connections that both captures of a pair hold, and the segments that they have in common.
#pragma once

#include "analyzer/tcp/pair/pair_side.h"

#include <array>
#include <cstddef>
#include <vector>

namespace iscsiscope {

// One connection of both captures. The PairStreams must outlive it.
struct ConnectionMatch {
    static constexpr std::size_t no_match = ~std::size_t{0};

    const PairStream *a = nullptr, *b = nullptr;
    bool turned = false; // b's opener is a's acceptor (without a SYN the first frame decides)
    PairMatch by = PairMatch::initial_sequence;
    std::array<std::vector<std::size_t>, 2> matches; // by Side of a: index in b's segments, or no_match
    bool opener_first = true;                        // the opener's segments pass capture a first

    // A segment whose addresses or ports were damaged on the way, so that the capture that it passed second
    // has it in a connection of its own.
    struct Misdirected {
        const PairSegment *sent = nullptr, *arrived = nullptr;
        PayloadSums sent_payload, arrived_payload;
    };
    std::array<std::vector<Misdirected>, 2> misdirected; // by Side of a; their `sent` have no match

    const PairSegments &sent_a(Side s) const { return a->sent[index(s)]; }
    const PairSegments &sent_b(Side s) const { return b->sent[index(turned ? other(s) : s)]; }
    bool a_first(Side s) const { return (s == Side::opener) == opener_first; }
    std::size_t matched() const;
    // Calls f(segment of a, segment of b) for each matched segment of this sender, in order of a's frames.
    template <class F>
    void each(Side s, F f) const {
        for (std::size_t i = 0; i < matches[index(s)].size(); ++i)
            if (const std::size_t j = matches[index(s)][i]; j != no_match)
                f(sent_a(s).all[i], sent_b(s).all[j]);
    }
    // Calls f(Side of the sender, segment of a, segment of b) for all.
    template <class F>
    void each(F f) const {
        for (const Side s : {Side::opener, Side::acceptor})
            each(
                s, [&](const PairSegment &x, const PairSegment &y) { f(s, x, y); });
    }
};

// Pairs every connection of a with that one of b with which it has most segments in common. same_clock: see
// PairOptions.
std::vector<ConnectionMatch> match_connections(const std::vector<PairStream> &a,
                                               const std::vector<PairStream> &b, bool same_clock);

} // namespace iscsiscope
