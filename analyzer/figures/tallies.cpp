// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/figures/tallies.h"

#include "analyzer/iscsi/scsi/sense.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace iscsiscope {

namespace {

// Adds each figure of a cycle to its histogram; the figure is a constant in each call of figure().
template <std::size_t... I>
void add_figures(std::array<Histogram, cycle_figure_count> &to, const CycleRecord &r,
                 std::index_sequence<I...>) {
    (to[I].add(figure(r, static_cast<CycleFigure>(I))), ...);
}

void keep_slowest(std::vector<CycleRecord> &kept, const CycleRecord &r) {
    constexpr std::size_t most = 5;
    if (!r.response_time || (kept.size() == most && kept.back().response_time >= r.response_time))
        return;
    kept.insert(std::ranges::upper_bound(kept, r.response_time, std::greater{}, &CycleRecord::response_time),
                r);
    if (kept.size() > most)
        kept.pop_back();
}

constexpr std::size_t max_stays = 1 << 16; // connections of which downtimes keep the times

} // namespace

void TypeTally::add(const CycleRecord &r) {
    TaskSums::add(r);
    add_figures(figures, r, std::make_index_sequence<cycle_figure_count>{});
    host_response_time.add(r.host_response_time());
    keep_slowest(slowest, r);
    const auto asked = asked_bytes(r);
    if (!asked)
        return;
    SizeTally &s = sizes[size_class(*asked)];
    s.smallest = s.count == 0 ? *asked : std::min(s.smallest, *asked);
    s.largest = std::max(s.largest, *asked);
    s.add(r);
}

void RateTally::add(const CycleRecord &r, Time from, Time to) {
    if (r.type == TaskType::control)
        return;
    for (Part *p : {r.type == TaskType::read ? &read : &write, &both}) {
        p->TaskCounts::add(r.bytes_moved, r.outcome);
        p->answered += r.response_time ? 1 : 0;
        p->open.add(from, to);
    }
}

void BurstTally::add(const BurstRecord &r) {
    not_final += r.final_seen ? 0 : 1;
    if (r.burst == 0) {
        ++unsolicited;
        unsolicited_bytes += r.sent_bytes;
        return;
    }
    ++solicited;
    solicited_bytes += r.sent_bytes;
    if (r.desired_bytes)
        desired_bytes.add(*r.desired_bytes);
    r2t_wait.add(r.r2t_wait);
    burst_response.add(r.burst_response);
    burst_data.add(r.burst_data);
}

void ActiveTime::add(const ConnectionRecord &r) {
    if (const auto of = r.busy()) {
        busy += *of;
        without_task += *r.without_task;
        owners += r.owners;
        busy_at_least |= r.busy_at_least;
    } else {
        one_sided += r.active().value_or(Duration{});
    }
    wire_bytes += r.bytes_to_target + r.bytes_to_initiator + r.unseen_to_target + r.unseen_to_initiator;
    transfer += r.transfer;
    active += r.transfer;
    for (std::size_t i = 0; i < gap_kind_count; ++i) {
        gap_time[i] += r.gap_time[i];
        active += r.gap_time[i];
        gaps[i] += r.gaps[i];
    }
}

void WireTally::add(PduDirection d, const StreamBytes &p) {
    bytes[static_cast<std::size_t>(d)] += p.total();
    unseen += p.unseen;
    if (!first) {
        first = last = p.time;
        return;
    }
    // Bytes from before their connection was known to speak iSCSI come late.
    first = std::min(*first, p.time);
    if (p.time <= *last)
        return;
    if (p.time - *last < pause)
        flowing += p.time - *last;
    last = p.time;
}

void DowntimeTally::add(const CycleRecord &r) {
    if (r.outcome == TaskOutcome::connection_lost && lost_tasks_.size() < max_stays)
        ++lost_tasks_[r.stream];
}

void DowntimeTally::add(const ConnectionRecord &r) {
    if ((r.login && !r.login->accepted) || ++kept_ > max_stays)
        return;
    stays_[r.session].push_back(
        {r.stream, r.login ? r.login->start : r.start, r.end, r.active_end.value_or(r.end)});
}

std::map<SessionId, Downtime> DowntimeTally::of(const std::map<SessionId, SessionRecord> &sessions) const {
    std::map<SessionId, Downtime> all;
    if (kept_ > max_stays)
        return all;
    const auto begin = [](const std::vector<Stay> &stays) {
        return std::ranges::min_element(stays, {}, &Stay::from)->from;
    };
    std::map<SessionId, Time> continued; // by session: the login that reinstated it
    for (const auto &[id, s] : sessions)
        if (const auto own = stays_.find(id); s.reinstates && own != stays_.end())
            continued.emplace(*s.reinstates, begin(own->second));
    for (const auto &[id, s] : sessions) {
        const auto found = stays_.find(id);
        if (!s.from_login || s.session_type == "Discovery" || found == stays_.end())
            continue;
        std::vector<Stay> stays = found->second;
        std::ranges::sort(stays, {}, &Stay::from);
        Downtime &down = all[id];
        Time reach = stays.front().from; // up to here the session had a connection
        std::uint64_t lost = 0;
        const auto up_from = [&](Time t) {
            if (t <= reach)
                return;
            down.length += t - reach;
            down.tasks += std::exchange(lost, 0);
        };
        for (const Stay &x : stays) {
            up_from(x.from);
            // Frames may follow the loss: that ended the tasks that were open, and with them the active life.
            const auto tasks = lost_tasks_.find(x.stream);
            lost += tasks != lost_tasks_.end() ? tasks->second : 0;
            reach = std::max(reach, tasks != lost_tasks_.end() ? x.active_end : x.end);
        }
        if (const auto next = continued.find(id); next != continued.end())
            up_from(next->second);
    }
    return all;
}

std::uint64_t GapTally::count() const {
    std::uint64_t n = 0;
    for (const Histogram &h : lengths)
        n += h.count();
    return n;
}

void GapTally::add(const GapRecord &r) {
    if (!r.in_active_life)
        return;
    const auto kind = static_cast<std::size_t>(r.kind);
    lengths[kind].add(to_ns(r.active_part));
    if (longest[kind].active_part < r.active_part || longest[kind].before_frame == 0)
        longest[kind] = r;
}

bool of_every_scan(const SenseTally &t) {
    return t.of_scan() == t.count && scan_sense(t.sense);
}

bool of_every_scan(TaskType type, std::uint32_t sense) {
    return type == TaskType::control && scan_sense(sense);
}

} // namespace iscsiscope
