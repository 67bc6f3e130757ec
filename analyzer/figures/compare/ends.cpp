// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/figures/compare/ends.h"

#include <algorithm>
#include <cmath>

namespace iscsiscope {

EndsPair match_pair(const Report &a, const PairSink &of_a, const PairSink &of_b, const PairOptions &options) {
    EndsPair e{solve(of_a.side(), of_b.side(), options), true};
    std::erase_if(e.pair.connections, [&](const PairedConnection &p) {
        return std::ranges::none_of(a.connections,
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

Ends match_ends(Report a, const PairSink &of_a, Report b, const PairSink &of_b, bool same_clock) {
    const int digits = std::min(a.capture.info.time_precision_digits, b.capture.info.time_precision_digits);
    PairOptions options;
    options.same_clock = same_clock;
    options.precision = Duration{std::llround(std::pow(10, 9 - std::clamp(digits, 0, 9)))};
    EndsPair e = match_pair(a, of_a, of_b, options);
    return {std::move(e), std::move(a), std::move(b)};
}

} // namespace iscsiscope
