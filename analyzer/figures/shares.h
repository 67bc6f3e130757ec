// SPDX-License-Identifier: GPL-2.0-or-later
// Shares of a whole, each from 0 to 1 (docs/figures.md, "Where the time goes"; docs/figures.md, "Phases";
// docs/figures.md, "Bytes that are not in the file").
#pragma once

#include "analyzer/figures/report.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace iscsiscope {

// One part of a partitioned time. The times of a list add up to the whole to the nanosecond, and the shares
// to 1; if the whole is zero, so is every share.
template <class Kind>
struct Share {
    Kind kind{};
    std::string_view name;
    Duration time{};
    double share = 0;
};
using TimeShare = Share<std::optional<GapKind>>; // empty kind: transfer
using OwnerShare = Share<Owner>;
using PhaseShare = Share<CycleFigure>; // one of phase_figures
using LimitShare = Share<SendLimit>;

// Returns the parts of an active life: transfer, then the gaps in the order of GapKind.
std::vector<TimeShare> time_shares(const ActiveTime &);
// Returns the owners of a busy time, in the order of Owner.
std::vector<OwnerShare> owner_shares(const OwnerTimes &);
// Returns the sums of the phases over the tasks of the given types, in the order of phase_figures. Tasks that
// run at the same time count each. If all phases are known, the whole is the sum of the cycle times.
std::vector<PhaseShare> phase_shares(std::span<const TypeTally>);
inline std::vector<PhaseShare> phase_shares(const TypeTally &t) {
    return phase_shares({&t, 1});
}
// Returns the times that each limit held a sender, over the life of a direction, in the order of SendLimit.
std::vector<LimitShare> limit_shares(const TcpDirectionFigures &);

template <class Kind>
Duration whole(const std::vector<Share<Kind>> &parts) {
    Duration sum{};
    for (const Share<Kind> &p : parts)
        sum += p.time;
    return sum;
}

// Returns the parts that are longer than zero, the longest first; equal ones keep their order.
template <class Kind>
std::vector<Share<Kind>> longest_first(std::vector<Share<Kind>> parts) {
    std::erase_if(
        parts, [](const Share<Kind> &p) { return p.time <= Duration{}; });
    std::ranges::stable_sort(parts,
                             [](const Share<Kind> &a, const Share<Kind> &b) { return a.time > b.time; });
    return parts;
}

// Busy time over the active life of the connections of which it is known; empty if that is zero.
std::optional<double> busy_share(const ActiveTime &);
// One owner's part of busy time; empty if no busy time has an owner.
std::optional<double> owner_share(const OwnerTimes &, Owner);
// Transfer, the gaps of one kind, and all gaps (the idle ratio), over the active life; empty if that is zero.
std::optional<double> transfer_share(const ActiveTime &);
std::optional<double> gap_share(const ActiveTime &, GapKind);
std::optional<double> idle_ratio(const ActiveTime &);
std::optional<double> idle_ratio(const ConnectionRecord &);

// Shares of all iSCSI bytes that passed, in the file or not; `complete`: share of the tasks seen whole.
struct CoverageShares {
    double cut = 0, unseen = 0, skipped = 0;
    double complete = 0;
};
CoverageShares coverage_shares(const Report &);

// Returns the share of the capture's TCP segments that have this port as the lower one.
double port_share(const CaptureSummary &, const PortSurvey::Entry &);
// Returns the share of the active life that findings explain.
double explained_share(const FindingsResult &);

} // namespace iscsiscope
