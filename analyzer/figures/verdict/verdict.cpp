// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/figures/verdict/verdict.h"

#include "analyzer/base/ratio.h"
#include "analyzer/figures/totals.h"

#include <algorithm>
#include <chrono>

namespace iscsiscope {
namespace {

constexpr std::uint64_t enough_tasks = 20;

struct Owned {
    std::optional<Owner> most;
    Duration time{}, next{}, unknown{};
};

Owned owned(const OwnerTimes &times) {
    Owned o;
    o.unknown = times[Owner::unknown];
    const auto of = [&](Owner owner) {
        return times[owner] + (owner == Owner::network ? times[Owner::transfer] : Duration{});
    };
    for (const Owner owner : {Owner::network, Owner::target, Owner::host}) {
        const Duration time = of(owner);
        if (time > o.time) {
            o.next = o.time;
            o.time = time;
            o.most = owner;
        } else {
            o.next = std::max(o.next, time);
        }
    }
    return o;
}

// Returns the longest round trip of the connections with tasks; empty if one of them has none.
std::optional<Duration> round_trip(const Report &r) {
    std::optional<Duration> longest = Duration{};
    for (const ConnectionRecord &c : r.connections) {
        if (c.tasks == 0)
            continue;
        if (!c.rtt_to_initiator || !c.rtt_to_target)
            return std::nullopt;
        longest = std::max(*longest, *c.rtt_to_initiator + *c.rtt_to_target);
    }
    return longest;
}

std::optional<VerdictLimit> gravest_limit(const Report &r, const Owned &o, Duration busy) {
    const TaskSums tasks = task_totals(r);
    if (tasks.of(TaskOutcome::good) + tasks.of(TaskOutcome::check_condition) == 0)
        return VerdictLimit::no_tasks;
    if (r.capture.merged && !r.capture.merged->clocks.empty())
        return VerdictLimit::clocks_differ;
    if (r.findings &&
        std::ranges::any_of(r.findings->findings, [](const Finding &f) { return f.nature == Nature::doubt; }))
        return VerdictLimit::much_missing;
    if (busy <= Duration{})
        return VerdictLimit::one_direction;
    if (o.unknown * 2 >= busy)
        return VerdictLimit::owner_unknown;
    // A tick of the clock may be an owner's or the next one's.
    if (const auto &tick = r.capture.order.resolution;
        tick && busy / static_cast<std::int64_t>(tasks.count) < *tick)
        return VerdictLimit::coarse_clock;
    const IscsiCoverage &c = r.capture.coverage;
    if (tasks.complete < tasks.count || c.unseen_bytes + c.skipped_bytes + c.cut_bytes != 0 ||
        !r.capture.info.complete || dropped_packets(r.capture.info).value_or(0) != 0 ||
        dropped_by_mirror(r.capture).value_or(0) != 0)
        return VerdictLimit::not_whole;
    if (tasks.count < enough_tasks)
        return VerdictLimit::few_tasks;
    const std::optional<Duration> rtt = round_trip(r);
    if (!rtt)
        return VerdictLimit::round_trip_unknown;
    // A round trip is right within 15 % or 300 us (docs/figures.md, "Where the capture was taken"); each task
    // has one or more.
    const Duration accuracy = std::max<Duration>(*rtt * 15 / 100, std::chrono::microseconds(300));
    if (o.time - o.next < accuracy * static_cast<std::int64_t>(tasks.count))
        return VerdictLimit::small_margin;
    return std::nullopt;
}

} // namespace

CaptureVerdict capture_verdict(const Report &r) {
    CaptureVerdict v;
    OwnerTimes all;
    for (const OwnerTimes &t : r.type_owners)
        all += t;
    v.busy = all.sum();
    v.transfer = all[Owner::transfer];
    const Owned o = owned(all);
    v.owner = o.most;
    v.owner_share = ratio(o.time, v.busy);
    v.limit = gravest_limit(r, o, v.busy);
    if (r.findings && !r.findings->findings.empty()) {
        const Finding &first = r.findings->findings.front();
        if (first.severity == Severity::problem)
            v.problem = &first;
        if (const Finding *idle = r.findings->find(FindingKind::application_idle))
            v.idle_share = idle->share;
    }
    // What failed is seen in the packets that show it, however few there are.
    const bool failed = v.problem != nullptr && is_failure(*v.problem);
    if (!v.limit || failed)
        v.certainty = VerdictCertainty::certain;
    else if (*v.limit >= VerdictLimit::not_whole)
        v.certainty = VerdictCertainty::likely;
    return v;
}

} // namespace iscsiscope
