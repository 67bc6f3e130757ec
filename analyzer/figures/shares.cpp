// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/figures/shares.h"

#include "analyzer/base/ratio.h"
#include "analyzer/figures/totals.h"

namespace iscsiscope {
namespace {

template <class Kind>
std::vector<Share<Kind>> with_shares(std::vector<Share<Kind>> parts) {
    const Duration all = whole(parts);
    for (Share<Kind> &p : parts)
        p.share = ratio(p.time, all);
    return parts;
}

} // namespace

std::vector<TimeShare> time_shares(const ActiveTime &l) {
    std::vector<TimeShare> all = {{std::nullopt, "transfer", l.transfer, 0}};
    for (std::size_t i = 0; i < gap_kind_count; ++i)
        all.push_back({static_cast<GapKind>(i), name(static_cast<GapKind>(i)), l.gap_time[i], 0});
    return with_shares(std::move(all));
}

std::vector<OwnerShare> owner_shares(const OwnerTimes &t) {
    std::vector<OwnerShare> all;
    for (std::size_t i = 0; i < owner_count; ++i)
        all.push_back({static_cast<Owner>(i), owner_names[i], t.parts[i], 0});
    return with_shares(std::move(all));
}

std::vector<PhaseShare> phase_shares(std::span<const TypeTally> types) {
    std::vector<PhaseShare> all;
    for (const CycleFigure f : phase_figures) {
        all.push_back({f, name(f), {}, 0});
        for (const TypeTally &t : types)
            all.back().time += Duration{t.of(f).sum()};
    }
    return with_shares(std::move(all));
}

std::vector<LimitShare> limit_shares(const TcpDirectionFigures &f) {
    std::vector<LimitShare> all;
    for (std::size_t i = 0; i < send_limit_count; ++i)
        all.push_back({static_cast<SendLimit>(i), name(static_cast<SendLimit>(i)), f.limit_time[i], 0});
    return with_shares(std::move(all));
}

std::optional<double> busy_share(const ActiveTime &l) {
    return quotient(l.busy, l.busy + l.without_task);
}

std::optional<double> owner_share(const OwnerTimes &t, Owner o) {
    return quotient(t[o], t.sum());
}

std::optional<double> transfer_share(const ActiveTime &l) {
    return quotient(l.transfer, l.active);
}

std::optional<double> gap_share(const ActiveTime &l, GapKind k) {
    return quotient(l.gap_time[static_cast<std::size_t>(k)], l.active);
}

std::optional<double> idle_ratio(const ActiveTime &l) {
    return quotient(l.active - l.transfer, l.active);
}

std::optional<double> idle_ratio(const ConnectionRecord &r) {
    ActiveTime life;
    life.add(r);
    return idle_ratio(life);
}

CoverageShares coverage_shares(const Report &r) {
    const IscsiCoverage &c = r.capture.coverage;
    const std::uint64_t passed = c.stream_bytes + c.unseen_bytes;
    const TaskSums tasks = task_totals(r);
    return {ratio(c.cut_bytes, passed), ratio(c.unseen_bytes, passed), ratio(c.skipped_bytes, passed),
            ratio(tasks.complete, tasks.count)};
}

double port_share(const CaptureSummary &c, const PortSurvey::Entry &e) {
    return ratio(e.segments, c.protocols.tcp);
}

double explained_share(const FindingsResult &f) {
    return ratio(f.explained, f.busy);
}

} // namespace iscsiscope
