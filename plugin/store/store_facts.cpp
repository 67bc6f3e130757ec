// SPDX-License-Identifier: GPL-2.0-or-later
// The part of Store that looks up the records of one frame.
#include "plugin/store/store.h"

#include <algorithm>

namespace iscsiscope::plugin {
namespace {

constexpr unsigned bit(Role role) {
    return 1U << static_cast<unsigned>(role);
}

void add_once(std::vector<BurstOnFrame> &list, const BurstRecord &burst, bool result) {
    auto at =
        std::find_if(list.begin(), list.end(), [&](const BurstOnFrame &b) { return b.record == &burst; });
    if (at == list.end())
        at = list.insert(list.end(), BurstOnFrame{&burst, false});
    at->result = at->result || result;
}

} // namespace

void FrameFacts::clear() {
    cycles.clear();
    inferred.clear();
    gaps.clear();
    events.clear();
    anomalies.clear();
    findings.clear();
    ended.clear();
    sender = nullptr;
    unread = nullptr;
}

CycleOnFrame &Store::entry(FrameFacts &facts, const Cycle *cycle) {
    for (CycleOnFrame &on : facts.cycles)
        if (on.cycle == cycle)
            return on;
    facts.cycles.push_back({cycle, 0, false, {}});
    return facts.cycles.back();
}

const Store::Carried *Store::payload_of(FrameNumber frame) const {
    if (!carried_.empty() && carried_.back().frame < frame)
        return nullptr;
    if (!carried_.empty() && carried_.back().frame == frame) // while the file is being read
        return &carried_.back();
    const auto carried = std::lower_bound(carried_.begin(), carried_.end(), frame,
                                          [](const Carried &c, FrameNumber f) { return c.frame < f; });
    return carried != carried_.end() && carried->frame == frame ? &*carried : nullptr;
}

void Store::add_payload(FrameNumber frame, FrameFacts &facts) const {
    const Carried *carried = payload_of(frame);
    if (carried == nullptr)
        return;
    if (carried->senders > 0 && senders_[carried->senders - 1].frame == frame)
        facts.sender = &senders_[carried->senders - 1];
    if (carried->stream < streams_.size() && streams_[carried->stream])
        add_cycles(*carried, facts);
}

void Store::add_cycles(const Carried &carried, FrameFacts &facts) const {
    const std::vector<Run> &runs = streams_[carried.stream]->runs[index(carried.side)];
    const std::uint64_t end = carried.offset + carried.length;
    auto run =
        std::partition_point(runs.begin(), runs.end(), [&](const Run &r) { return r.end <= carried.offset; });
    for (; run != runs.end() && run->begin < end; ++run) {
        if (run->cycle.number >= cycles_.size())
            continue;
        const Cycle &cycle = cycles_[run->cycle.number];
        CycleOnFrame &on = entry(facts, &cycle);
        on.roles |= bit(run->role);
        if (run->ends_with_status && end >= run->end)
            on.roles |= bit(Role::status);
        if (run->role == Role::command || run->role == Role::data_in || run->role == Role::status)
            continue;
        // The youngest burst that fits: a tag may be used again.
        const auto burst = std::find_if(cycle.bursts.rbegin(), cycle.bursts.rend(), [&](const Burst &known) {
            const BurstRecord &b = known.record;
            if (run->role == Role::r2t)
                return b.r2t_sn == run->tag && b.offset == run->buffer_offset;
            if (run->tag == static_cast<std::uint32_t>(TargetTransferTag::reserved))
                return b.burst == 0;
            return b.ttt == run->tag && b.offset <= run->buffer_offset;
        });
        if (burst != cycle.bursts.rend())
            add_once(on.bursts, burst->record, false);
    }
}

void Store::add_burst(CycleId cycle, std::uint32_t burst, bool result, FrameFacts &facts) const {
    for (const Burst &b : cycles_[cycle.number].bursts)
        if (b.record.burst == burst)
            add_once(entry(facts, &cycles_[cycle.number]).bursts, b.record, result);
}

void Store::add_inferred(FrameNumber frame, FrameFacts &facts) const {
    for (auto [at, end] = inferred_at_.equal_range(frame); at != end; ++at)
        facts.inferred.push_back(&at->second);
}

void Store::add_unread(FrameNumber frame, FrameFacts &facts) const {
    if (unread_at_.empty())
        return;
    if (const auto at = unread_at_.find(frame); at != unread_at_.end())
        facts.unread = at->second;
}

void Store::facts_now(FrameNumber frame, FrameFacts &facts) const {
    facts.clear();
    add_payload(frame, facts);
    add_unread(frame, facts);
    if (this_frame_.frame != frame)
        return;
    add_inferred(frame, facts);
    for (const CycleId number : this_frame_.ended) {
        const Cycle *cycle = &cycles_[number.number];
        entry(facts, cycle).result = true;
        if (std::find(facts.ended.begin(), facts.ended.end(), cycle) == facts.ended.end())
            facts.ended.push_back(cycle);
    }
    for (const auto &[number, burst] : this_frame_.bursts)
        add_burst(number, burst, false, facts);
    for (const auto &[number, burst] : this_frame_.burst_results)
        add_burst(number, burst, true, facts);
    for (std::size_t i = this_frame_.gaps; i < gaps_.all().size(); ++i)
        facts.gaps.push_back({&gaps_.all()[i], {}, nullptr});
    for (std::size_t i = this_frame_.events; i < events_.size(); ++i)
        facts.events.push_back(&events_[i]);
    for (std::size_t i = this_frame_.anomalies; i < anomalies_.size(); ++i)
        facts.anomalies.push_back(&anomalies_[i]);
}

void Store::facts_of(FrameNumber frame, ResultOn where, FrameFacts &facts) const {
    facts.clear();
    add_payload(frame, facts);
    add_unread(frame, facts);
    for (auto [at, end] = ends_.equal_range(frame); at != end; ++at) {
        CycleOnFrame &on = entry(facts, at->second);
        const CycleRecord &r = at->second->record;
        on.result = on.result || where != ResultOn::command || !r.command_frame || r.command_frame == frame;
        facts.ended.push_back(at->second);
    }
    for (auto [at, end] = begins_.equal_range(frame); at != end; ++at) {
        const bool only_here = !at->second->record.end_frame;
        if (where != ResultOn::end || only_here)
            entry(facts, at->second).result = true;
        if (only_here)
            facts.ended.push_back(at->second);
    }
    for (auto [at, end] = burst_results_.equal_range(frame); at != end; ++at)
        add_burst(at->second.first, at->second.second, true, facts);
    add_inferred(frame, facts);
    gaps_.add(frame, findings_, facts.gaps);
    for (auto [at, end] = events_at_.equal_range(frame); at != end; ++at)
        facts.events.push_back(at->second);
    for (auto [at, end] = anomalies_at_.equal_range(frame); at != end; ++at)
        facts.anomalies.push_back(at->second);
    for (auto [at, end] = findings_at_.equal_range(frame); at != end; ++at)
        facts.findings.push_back(at->second);
}

} // namespace iscsiscope::plugin
