// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/compare/ends.h"

#include <algorithm>

namespace iscsiscope {

Ends match_ends(Report a, const PairSink &of_a, Report b, const PairSink &of_b) {
    Ends e{std::move(a), std::move(b), solve(of_a.side(), of_b.side()), true};
    std::erase_if(e.pair.connections, [&](const PairedConnection &p) { // iSCSI ones only
        return std::none_of(e.a.connections.begin(), e.a.connections.end(),
                            [&](const ConnectionRecord &c) { return c.stream == p.stream_a; });
    });
    for (const PairedConnection &p : e.pair.connections) {
        for (const ConnectionRecord &c : e.a.connections) {
            if (c.stream == p.stream_a) {
                const Side initiator = p.opener == c.initiator ? Side::opener : Side::acceptor;
                e.a_is_initiator = p.directions[index(initiator)].a_first;
                return e;
            }
        }
    }
    return e;
}

} // namespace iscsiscope
