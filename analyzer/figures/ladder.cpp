// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/figures/ladder.h"

#include "analyzer/base/containers/bounded.h"
#include "analyzer/query/column.h"
#include "analyzer/query/expression.h"

#include <algorithm>

namespace iscsiscope {
namespace {

bool overlap(const GapRecord &g, const CycleRecord &c) {
    return g.stream == c.stream && g.start < c.end && g.start + g.length > c.start;
}

} // namespace

LadderCollector::LadderCollector(LadderOptions options) : options_(options) {}

void LadderCollector::on(const PduRecord &record) {
    const Pdu &p = record.pdu;
    Recent *const found = find_or_add(recent_, record.connection->stream, options_.max_connections);
    if (found == nullptr)
        return;
    const HeaderView v = p.view();
    found->pdus.push_back({p.first_seen, p.delivered, p.frame, p.last_frame,
                           static_cast<std::uint32_t>(v.initiator_task_tag()), p.data_length, p.direction,
                           v.opcode(), v.has_status()});
}

void LadderCollector::on(const GapRecord &g) {
    for (auto &list : slowest_) {
        for (Ladder &l : list)
            if (overlap(g, l.cycle))
                l.gaps.push_back(g);
    }
    const auto at = recent_.find(g.stream);
    if (at != recent_.end())
        at->second.gaps.push_back(g);
}

void LadderCollector::fill(Ladder &l, const Recent &r) const {
    for (std::size_t i = 0; i < r.pdus.size(); ++i) {
        const LadderPdu &p = r.pdus[i];
        if (p.itt == l.cycle.itt && p.delivered >= l.cycle.start && p.first_seen <= l.cycle.end)
            l.pdus.push_back(p);
    }
    if (l.pdus.size() > pdus_kept) { // the middle of a long transfer matters least
        const auto begin = l.pdus.begin() + static_cast<std::ptrdiff_t>(pdus_kept * 2 / 3);
        const auto end = l.pdus.end() - static_cast<std::ptrdiff_t>(pdus_kept - pdus_kept * 2 / 3);
        l.pdus_left_out += static_cast<std::uint64_t>(end - begin);
        l.pdus.erase(begin, end);
    }
    // The number of the task's PDUs (command, R2Ts, data, status) less those that are still kept.
    const std::uint64_t had = 1 + l.cycle.data_pdus + l.cycle.r2t_count;
    if (l.pdus.size() + l.pdus_left_out < had)
        l.pdus_left_out = had - l.pdus.size();
    for (std::size_t i = 0; i < r.gaps.size(); ++i)
        if (overlap(r.gaps[i], l.cycle))
            l.gaps.push_back(r.gaps[i]);
}

void LadderCollector::on(const CycleRecord &c) {
    if (c.type == TaskType::control || !c.response_time || !c.command_frame ||
        (options_.range != nullptr && !options_.range->contains(c.end)) ||
        (options_.filter != nullptr && !options_.filter->holds(&c)))
        return;
    auto &list = slowest_[static_cast<std::size_t>(c.type)];
    if (list.size() == options_.most && list.back().cycle.response_time >= c.response_time)
        return;
    const auto at = recent_.find(c.stream);
    if (at == recent_.end())
        return;
    Ladder l;
    l.cycle = c;
    fill(l, at->second);
    list.insert(std::ranges::upper_bound(list, l,
                                         [](const Ladder &a, const Ladder &b) {
                                             return a.cycle.response_time > b.cycle.response_time;
                                         }),
                std::move(l));
    if (list.size() > options_.most)
        list.pop_back();
}

void LadderCollector::on(const ConnectionRecord &c) {
    recent_.erase(c.stream);
    for (auto &list : slowest_) {
        for (Ladder &l : list) {
            if (l.cycle.stream == c.stream) {
                l.rtt_to_initiator = c.rtt_to_initiator;
                l.rtt_to_target = c.rtt_to_target;
            }
        }
    }
}

std::vector<Ladder> LadderCollector::take() {
    std::vector<Ladder> all;
    for (auto &list : slowest_) {
        for (Ladder &l : list) {
            std::ranges::sort(l.gaps, {}, &GapRecord::start);
            all.push_back(std::move(l));
        }
        list.clear();
    }
    return all;
}

} // namespace iscsiscope
