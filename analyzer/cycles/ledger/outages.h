// SPDX-License-Identifier: GPL-2.0-or-later
// OutageGaps: finds the outages of a connection's path among its gaps: intervals in which nothing got through
// for longer than the repair of a loss takes.
//
// Linux sends a lost segment again after 200 ms at the earliest, and RFC 6298 (sections 2.1 and 2.4) after
// one second at the latest on paths of ordinary round trips; then the timeout doubles. A path that still
// works answers the first repeat. An interval is an outage if a repeat stayed without an answer (gaps of kind
// path_down), and for a second or more no connection of the path got an ACK for new bytes: then at least two
// repeats were lost, and not a lone tail. At a tap beyond the break the repeats do not pass; one and a half
// seconds without such an ACK show there that an earlier repeat was lost. While other connections get
// through, an overflowing queue loses repeats too: only an interval of six seconds is an outage of the
// connection's own way then; timeouts of 200 ms, doubled, are five repeats without an answer.
#pragma once

#include "analyzer/cycles/ledger/wait.h"
#include "analyzer/tcp/tcp_figures.h"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace iscsiscope {

class OutageGaps {
public:
    static constexpr std::size_t max_gaps = 4096, max_repeats = 4096;

    // Whether a wait, or a repeat, may belong to an outage. Others are not to be kept or noted.
    static bool may_show(const Wait &w) {
        return w.gap.kind == GapKind::path_down || w.gap.kind == GapKind::retransmission_timeout;
    }
    static bool may_show(const TcpRetransmission &r) {
        return r.kind == RetransmissionClass::timeout && r.place != LossPlace::none;
    }
    // Takes a wait; decide() returns it. False: no room is left.
    bool keep(const Wait &);
    void note(const TcpRetransmission &, bool to_target);

    void show(OldestCycle &) const;

    using Found = std::function<void(const OutageInterval &)>;
    using Judged = std::function<void(const Wait &, bool in_outage)>;
    // The connection has ended, with these figures of its directions, null where not known. Calls found for
    // each outage, in order of time, then judged for each wait that was kept.
    void decide(const std::array<const TcpDirectionFigures *, 2> &figures, const Found &found,
                const Judged &judged);

private:
    struct Repeat {
        Time time{};
        std::uint32_t bytes = 0;
        bool to_target = false;
    };
    OutageInterval interval(std::span<const Wait> gaps) const;

    std::vector<Wait> gaps_;
    std::vector<Repeat> repeats_;
};

} // namespace iscsiscope
