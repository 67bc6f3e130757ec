// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/figures/throughput_rows.h"

#include <algorithm>
#include <iterator>

namespace iscsiscope {

ThroughputCell *ThroughputColumn::make(std::uint64_t interval, std::size_t &room) {
    const auto next = runs_.upper_bound(interval);
    const auto run = next == runs_.begin() ? runs_.end() : std::prev(next);
    const std::uint64_t end = run == runs_.end() ? 0 : run->first + run->second.size();
    if (interval < end)
        return &run->second[interval - run->first];
    const bool further = run == runs_.end() || interval > end + max_empty;
    const std::size_t cost = further ? 1 + max_empty : interval + 1 - end;
    if (room < cost)
        return nullptr;
    room -= cost;
    if (further)
        return &runs_.emplace_hint(next, interval, 1)->second.front();
    run->second.resize(run->second.size() + cost);
    return &run->second.back();
}

ThroughputCell ThroughputColumn::at(std::uint64_t interval) const {
    const auto next = runs_.upper_bound(interval);
    if (next == runs_.begin())
        return {};
    const auto &[first, cells] = *std::prev(next);
    return interval - first < cells.size() ? cells[interval - first] : ThroughputCell{};
}

std::uint64_t ThroughputColumn::end() const {
    return runs_.empty() ? 0 : runs_.rbegin()->first + runs_.rbegin()->second.size();
}

bool ThroughputColumn::active(std::uint64_t interval) const {
    const auto next = active_.upper_bound(interval);
    return next != active_.begin() && std::prev(next)->second >= interval;
}

void ThroughputColumn::add_active(std::uint64_t from, std::uint64_t to) {
    auto next = active_.upper_bound(from);
    if (next != active_.begin() && std::prev(next)->second + 1 >= from) {
        --next;
        if (next->second >= to)
            return;
        from = next->first;
    }
    while (next != active_.end() && next->first <= to + 1) {
        to = std::max(to, next->second);
        next = active_.erase(next);
    }
    active_.emplace_hint(next, from, to);
}

void ThroughputColumn::add_active_if_passed(std::uint64_t from, std::uint64_t to) {
    for (const auto &[first, cells] : runs_)
        for (std::uint64_t i = std::max(from, first); i <= to && i - first < cells.size(); ++i)
            if (cells[i - first].stream_bytes != 0)
                add_active(i, i);
}

void ThroughputColumn::list(std::uint64_t from, std::uint64_t to, std::vector<std::uint64_t> &out) const {
    for (const auto &[first, cells] : runs_)
        for (std::uint64_t i = std::max(from, first); i < to && i - first < cells.size(); ++i)
            if (!cells[i - first].empty())
                out.push_back(i);
}

ThroughputRows::ThroughputRows(std::vector<ThroughputColumn> columns, std::uint64_t begin, std::uint64_t end,
                               Duration interval)
    : columns_(std::move(columns)), begin_(begin), end_(end), interval_(interval) {
    for (const ThroughputColumn &column : columns_)
        column.list(begin, end, numbers_);
    std::ranges::sort(numbers_);
    numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
    numbers_.shrink_to_fit();
}

ThroughputRow ThroughputRows::operator[](std::size_t i) const {
    const auto seconds = static_cast<double>(to_ns(interval_)) / 1e9;
    ThroughputRow row;
    row.interval = numbers_[i];
    std::vector<double> rates;
    for (const ThroughputColumn &column : columns_) {
        const ThroughputCell c = column.at(row.interval);
        const bool active = column.active(row.interval);
        row.stream_bytes.push_back(c.stream_bytes);
        row.bytes.push_back(c.bytes);
        row.tasks.push_back(c.tasks);
        row.active.push_back(active ? 1 : 0);
        if (active)
            rates.push_back(static_cast<double>(c.stream_bytes) / seconds);
    }
    row.rate = spread_of(rates);
    return row;
}

} // namespace iscsiscope
