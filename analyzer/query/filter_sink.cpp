// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/query/filter_sink.h"

#include <algorithm>
#include <numeric>
#include <type_traits>

namespace iscsiscope {
namespace {

// Adds what counts by its owner alone.
void add_to(std::vector<LedgerEntry> &sums, const LedgerEntry &e) {
    const auto like = [&](const LedgerEntry &s) {
        return s.owner == e.owner && s.trouble == e.trouble && s.type == e.type && s.lun == e.lun;
    };
    if (const auto at = std::ranges::find_if(sums, like); at != sums.end()) {
        at->length += e.length;
        return;
    }
    sums.push_back(e);
    sums.back().gap.reset();
}

} // namespace

std::optional<bool> FilterSink::decided(CycleId task) const {
    const auto block = blocks_.find(task.number / block_tasks);
    const std::size_t place = task.number % block_tasks;
    if (block == blocks_.end() || !block->second.known[place])
        return std::nullopt;
    return block->second.passes[place];
}

void FilterSink::decide(CycleId task, bool passes) {
    Block &block = blocks_[task.number / block_tasks];
    block.known.set(task.number % block_tasks);
    block.passes.set(task.number % block_tasks, passes);
    if (blocks_.size() > max_blocks)
        blocks_.erase(blocks_.begin());
}

void FilterSink::put(const LedgerEntry &e) {
    Passed &p = passed_[e.stream];
    p.owners += e.owners();
    if (e.gap) {
        const auto kind = static_cast<std::size_t>(*e.gap);
        p.gap_time[kind] += e.length;
        p.gaps[kind] += e.before_frame == 0 || e.before_frame != p.last_wait ? 1 : 0;
        p.last_wait = e.before_frame;
    } else {
        p.runs += e.length;
    }
    next().put(e);
}

template <class Record>
void FilterSink::wait_for(CycleId task, StreamId stream, const Record &r) {
    if (const auto passes = decided(task)) {
        if (*passes)
            put(r);
        return;
    }
    const auto held = [&]() -> Held & {
        Held &h = held_[task];
        h.stream = stream;
        return h;
    };
    if constexpr (std::is_same_v<Record, LedgerEntry>)
        if (!r.gap || held_records_ == max_held)
            return add_to(held().sums, r);
    if (held_records_ == max_held)
        return;
    held().records.emplace_back(r);
    ++held_records_;
}

void FilterSink::relay(const LedgerEntry &e) {
    if (e.cycle)
        wait_for(*e.cycle, e.stream, e);
}

// A command that ends a gap was not awaited: the gap is not its own (docs/ledger.md).
void FilterSink::relay(const GapRecord &r) {
    if (r.cycle && r.kind != GapKind::initiator_idle && r.kind != GapKind::initiator_pause)
        wait_for(*r.cycle, r.stream, r);
}

void FilterSink::relay(const EventRecord &r) {
    if (r.cycle)
        wait_for(*r.cycle, r.stream, r);
    // A logout is of its connection, which may not go on.
    else if (r.opcode != Opcode::logout_request || passed_.contains(r.stream))
        put(r);
}

void FilterSink::relay(const CycleRecord &r) {
    const bool passes = filter_.holds(&r);
    decide(r.cycle, passes);
    const auto held = held_.extract(r.cycle);
    if (!held.empty())
        end(held.mapped());
    if (!passes)
        return;
    ++passed_[r.stream].tasks;
    if (!held.empty()) {
        for (const LedgerEntry &e : held.mapped().sums)
            put(e);
        for (const Waiting &w : held.mapped().records)
            std::visit([this](const auto &record) { put(record); }, w);
    }
    next().put(r);
}

void FilterSink::relay(const ConnectionRecord &record) {
    // What is left is of tasks outside the range.
    std::erase_if(held_, [&](const auto &h) {
        if (h.second.stream != record.stream)
            return false;
        end(h.second);
        return true;
    });
    const auto ends = ends_.extract(record.stream);
    const auto passed = passed_.extract(record.stream);
    if (passed.empty())
        return;
    if (!ends.empty()) {
        for (const OutageRecord &r : ends.mapped().outages)
            next().put(r);
        for (const TcpDirectionRecord &r : ends.mapped().directions)
            next().put(r);
    }
    ConnectionRecord r = record;
    const Passed &p = passed.mapped();
    r.tasks = p.tasks;
    r.transfer = p.runs;
    r.gap_time = p.gap_time;
    r.gaps = p.gaps;
    if (const auto life = r.active())
        r.out_of_scope = *life - std::reduce(p.gap_time.begin(), p.gap_time.end(), p.runs);
    if (r.without_task) {
        r.owners = p.owners;
        r.without_task = Duration{};
    }
    next().put(r);
}

} // namespace iscsiscope
