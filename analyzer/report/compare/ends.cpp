// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/compare/ends.h"

#include "analyzer/base/number_format.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace iscsiscope {

EndsPair match_pair(const Report &a, const PairSink &of_a, const PairSink &of_b) {
    EndsPair e{solve(of_a.side(), of_b.side()), true};
    std::erase_if(e.pair.connections, [&](const PairedConnection &p) {
        return std::none_of(a.connections.begin(), a.connections.end(),
                            [&](const ConnectionRecord &c) { return c.stream == p.stream_a; });
    });
    for (const PairedConnection &p : e.pair.connections) {
        for (const ConnectionRecord &c : a.connections) {
            if (c.stream == p.stream_a) {
                const Side initiator = p.opener == c.initiator ? Side::opener : Side::acceptor;
                e.a_is_initiator = p.directions[index(initiator)].a_first;
                return e;
            }
        }
    }
    return e;
}

Ends match_ends(Report a, const PairSink &of_a, Report b, const PairSink &of_b) {
    EndsPair e = match_pair(a, of_a, of_b);
    return {std::move(a), std::move(b), std::move(e.pair), e.a_is_initiator};
}

std::string matched_words(const PairFigures &p) {
    return fmt::format("{}; {} in the first only, {} in the second only",
                       human::plural(p.connections.size(), "connection", "connections"), p.only_a, p.only_b);
}

std::string clock_words(const PairFigures &p) {
    if (!p.clock)
        return "no segment matched in both directions: offset and delays are not known";
    return fmt::format("the second capture's is {} {} the first's, ± {} (half the least round trip: the "
                       "path's asymmetry cannot be told from an offset)",
                       human::duration(Duration(std::abs(to_ns(p.clock->offset)))),
                       p.clock->offset < Duration{0} ? "behind" : "ahead of",
                       human::duration(p.clock->asymmetry));
}

std::string drift_words(const PairFigures &p) {
    return !p.clock               ? ""
           : p.clock->drift_known ? fmt::format("{:+.2f} ppm", p.clock->drift_ppm)
                                  : "too short a time in common to tell (1 s is needed)";
}

} // namespace iscsiscope
