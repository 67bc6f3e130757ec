// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/figures/collector.h"

#include "analyzer/base/saturating.h"

#include <algorithm>
#include <functional>
#include <unordered_set>

namespace iscsiscope {
namespace {

constexpr std::size_t located_events = 3;
constexpr std::size_t max_works = 1024; // LUNs and types of one connection
constexpr std::size_t event_kinds = 256, sense_kinds = 256, command_kinds = 1024;
constexpr std::size_t logins_kept = 5;
// The most bursts of one task that are kept: a damaged or forged capture may contain far more.
constexpr std::size_t max_waiting_bursts = 1 << 16;

std::uint64_t traffic(const ConnectionRecord &r) {
    return r.bytes_to_target + r.bytes_to_initiator;
}

} // namespace

Collector::Collector(CollectorOptions options) : options_(options) {}

void Collector::on(const Anomaly &a) {
    AnomalyTally &t = report_.anomalies[static_cast<std::size_t>(a.kind)];
    ++t.count;
    t.detail_sum = saturated_sum(t.detail_sum, a.detail);
    if (t.first.size() < located_anomalies)
        t.first.push_back(a);
}

void Collector::count_command(const CycleRecord &r) {
    if (!r.opcode)
        return;
    if (Tally *t = last_command_.find_or_add(commands_, {*r.opcode, r.service_action}, command_kinds))
        t->add(r);
}

void Collector::count_rates(const CycleRecord &r, Time from, Time to) {
    report_.rates.add(r, from, to);
    if (r.type == TaskType::control)
        return;
    if (RateTally *of_session = find_or_add(report_.session_rates, r.session, options_.max_listed))
        of_session->add(r, from, to);
}

void Collector::count_lun(const CycleRecord &r, Time from, Time to) {
    LunTally *lun = last_lun_.find_or_add(report_.luns, {r.session, r.lun}, options_.max_listed);
    if (lun == nullptr) {
        ++report_.lun_tasks_left_out;
        return;
    }
    lun->session = r.session;
    lun->lun = r.lun;
    lun->rates.add(r, from, to);
    lun->parts[static_cast<std::size_t>(r.type)].add(r);
}

void Collector::on(const CycleRecord &r) {
    downtimes_.add(r);
    for (const BurstRecord &b : waiting_bursts_)
        if (b.cycle == r.cycle)
            report_.bursts.add(b);
    waiting_bursts_.clear();
    report_.at_tap.add(r.start, r.end);
    report_.types[static_cast<std::size_t>(r.type)].add(r);
    count_command(r);
    Time from = r.left_initiator(), to = r.back_at_initiator();
    report_.at_initiator.add(from, to);
    if (options_.range != nullptr) {
        from = std::max(from, options_.range->begin());
        to = std::min(to, options_.range->end());
    }
    count_rates(r, from, to);
    count_lun(r, from, to);
    if (r.sense)
        if (SenseSums *sums = find_or_add(senses_, *r.sense, sense_kinds))
            sums->add(r);
}

void Collector::on(const BurstRecord &r) {
    if (!waiting_bursts_.empty() && waiting_bursts_.front().cycle != r.cycle)
        waiting_bursts_.clear(); // the record of their task was left out
    if (waiting_bursts_.size() < max_waiting_bursts)
        waiting_bursts_.push_back(r);
    else
        report_.bursts.add(r); // counted at once, whether or not its task is counted
}

void Collector::on(const GapRecord &gap) {
    report_.gaps.add(gap);
}

void Collector::on(const LedgerEntry &r) {
    std::vector<OwnedWork> &of = owned_[r.stream];
    auto at =
        std::ranges::find_if(of, [&](const OwnedWork &w) { return w.lun == r.lun && w.type == r.type; });
    if (at == of.end()) {
        if (of.size() == max_works)
            --at; // the rest count with the last one
        else
            at = of.insert(of.end(), {r.lun, r.type, {}});
    }
    at->owners += r.owners();
}

// The owners of the connection's busy time, by type and by LUN. What no record has counts with the first
// work.
void Collector::count_owners(const ConnectionRecord &r) {
    const auto found = owned_.find(r.stream);
    if (found == owned_.end())
        return;
    std::vector<OwnedWork> of = std::move(found->second);
    owned_.erase(found);
    const auto busy = r.busy();
    if (!busy)
        return;
    OwnerTimes known;
    for (const OwnedWork &w : of)
        known += w.owners;
    of.front().owners.complete(of.front().owners.sum() + *busy - known.sum());
    for (const OwnedWork &w : of) {
        report_.type_owners[static_cast<std::size_t>(w.type)] += w.owners;
        if (const auto lun = report_.luns.find({r.session, w.lun}); lun != report_.luns.end())
            lun->second.owners += w.owners;
    }
}

void Collector::on(const EventRecord &r) {
    auto at = std::ranges::find_if(
        report_.events, [&](const EventTally &t) { return t.opcode == r.opcode && t.code == r.code; });
    if (at == report_.events.end()) {
        if (report_.events.size() == event_kinds)
            return;
        report_.events.push_back({r.opcode, r.code, 0, {}});
        at = report_.events.end() - 1;
    }
    ++at->count;
    if (at->first.size() < located_events)
        at->first.push_back(r);
}

void Collector::on(const LunRecord &r) {
    if (LunRecord *known = find_or_add(report_.lun_facts, {r.session, r.lun}, options_.max_listed))
        *known = r;
}

void Collector::on(const SessionRecord &r) {
    if (SessionRecord *known = find_or_add(report_.sessions, r.session, options_.max_listed))
        *known = r;
    else
        ++report_.sessions_left_out;
}

void Collector::on(const LoginRecord &r) {
    if (r.login->accepted)
        return;
    ++report_.failed_logins;
    if (report_.first_failed_logins.size() < logins_kept)
        report_.first_failed_logins.push_back({r.connection->stream, *r.login});
}

void Collector::on(const ConnectionRecord &r) {
    report_.connections.push_back(r);
    report_.time.add(r);
    downtimes_.add(r);
    count_owners(r);
    name_session(r);
    if (ActiveTime *time = find_or_add(report_.session_time, r.session, options_.max_listed))
        time->add(r);
    for (const PduTally::Entry &e : r.pdus.entries())
        report_.pdus[e.direction][e.opcode] += e.count;
    if (report_.connections.size() >= options_.max_listed + options_.max_listed / 4 + 1)
        leave_out_smallest();
}

void Collector::on(const TcpDirectionRecord &r) {
    report_.tcp.push_back({r.direction, r.figures});
}

// A login that was refused names both ends, too.
void Collector::name_session(const ConnectionRecord &r) {
    const auto at = report_.sessions.find(r.session);
    if (at == report_.sessions.end())
        return;
    if (at->second.initiator_name.empty())
        at->second.initiator_name = r.initiator_name;
    if (at->second.target_name.empty())
        at->second.target_name = r.target_name;
}

// The connections with the most traffic are kept.
void Collector::leave_out_smallest() {
    auto &all = report_.connections;
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(options_.max_listed);
    std::nth_element(
        all.begin(), middle, all.end(),
        [](const ConnectionRecord &a, const ConnectionRecord &b) { return traffic(a) > traffic(b); });
    std::unordered_set<StreamId> gone;
    for (auto c = middle; c != all.end(); ++c) {
        ++report_.connections_left_out;
        gone.insert(c->stream);
    }
    std::erase_if(report_.tcp, [&](const TcpDirectionRow &r) { return gone.contains(r.figures->stream); });
    all.erase(middle, all.end());
}

Report Collector::take(CaptureSummary summary) {
    if (report_.connections.size() > options_.max_listed)
        leave_out_smallest();
    std::ranges::sort(report_.connections, {}, &ConnectionRecord::stream);
    for (auto &[key, tally] : commands_)
        report_.commands.push_back({key, std::move(tally)});
    std::ranges::stable_sort(report_.commands, std::greater{}, &CommandTally::count);
    for (const auto &[sense, sums] : senses_)
        report_.senses.push_back({sums, sense});
    std::ranges::stable_sort(report_.senses, std::greater{}, &SenseTally::count);
    // Only directions of listed connections are kept.
    std::unordered_set<StreamId> listed;
    for (const ConnectionRecord &c : report_.connections)
        listed.insert(c.stream);
    std::erase_if(
        report_.tcp, [&](const TcpDirectionRow &r) { return !listed.contains(r.figures->stream); });
    std::ranges::stable_sort(report_.tcp, [](const TcpDirectionRow &a, const TcpDirectionRow &b) {
        return std::pair(a.figures->stream, a.direction) < std::pair(b.figures->stream, b.direction);
    });
    if (!options_.filtered && (options_.range == nullptr || options_.range->everything()))
        report_.downtimes = downtimes_.of(report_.sessions);
    report_.capture = std::move(summary);
    Report done = std::move(report_);
    *this = Collector(options_);
    return done;
}

} // namespace iscsiscope
