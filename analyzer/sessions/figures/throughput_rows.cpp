// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/figures/throughput_rows.h"

#include <algorithm>
#include <iterator>

namespace iscsiscope {

ThroughputColumn::Others &ThroughputColumn::others() {
    if (!others_)
        others_.emplace();
    return *others_;
}

template <class Visit>
void ThroughputColumn::each_run(Visit visit) const {
    if (!run_.cells.empty())
        visit(run_.first, run_.cells);
    if (others_)
        for (const auto &[first, cells] : others_->runs)
            visit(first, cells);
}

// Makes that run the one in use which has the interval, or else ends before it.
void ThroughputColumn::use_run_of(std::uint64_t interval) {
    auto &runs = others().runs;
    if (!run_.cells.empty())
        runs.emplace(run_.first, std::move(run_.cells));
    run_ = {};
    if (const auto next = runs.upper_bound(interval); next != runs.begin()) {
        const auto found = std::prev(next);
        run_ = {found->first, std::move(found->second)};
        runs.erase(found);
    }
}

ThroughputCell *ThroughputColumn::make(std::uint64_t interval, std::size_t &room) {
    if (run_.has(interval))
        return &run_.cells[interval - run_.first];
    // No other run begins between the one in use and the interval, then.
    if (others_ || (!run_.cells.empty() && interval < run_.first))
        use_run_of(interval);
    if (run_.has(interval))
        return &run_.cells[interval - run_.first];
    const bool further = run_.cells.empty() || interval > run_.end() + max_empty;
    const std::size_t cost = further ? 1 + max_empty : interval + 1 - run_.end();
    if (room < cost)
        return nullptr;
    room -= cost;
    if (further) {
        if (!run_.cells.empty())
            others().runs.emplace(run_.first, std::move(run_.cells));
        run_ = {interval, std::vector<ThroughputCell>(1)};
    } else {
        run_.cells.resize(run_.cells.size() + cost);
    }
    return &run_.cells[interval - run_.first];
}

ThroughputCell ThroughputColumn::at(std::uint64_t interval) const {
    if (run_.has(interval))
        return run_.cells[interval - run_.first];
    if (others_) {
        if (const auto next = others_->runs.upper_bound(interval); next != others_->runs.begin()) {
            const auto &[first, cells] = *std::prev(next);
            if (interval - first < cells.size())
                return cells[interval - first];
        }
    }
    return {};
}

std::uint64_t ThroughputColumn::end() const {
    std::uint64_t all = run_.end();
    if (others_ && !others_->runs.empty())
        all = std::max(all, others_->runs.rbegin()->first + others_->runs.rbegin()->second.size());
    return all;
}

bool ThroughputColumn::active(std::uint64_t interval) const {
    if (interval >= active_.first && interval <= active_.last)
        return true;
    if (!others_)
        return false;
    const auto next = others_->active.upper_bound(interval);
    return next != others_->active.begin() && std::prev(next)->second >= interval;
}

void ThroughputColumn::add_active(std::uint64_t from, std::uint64_t to) {
    if (from >= active_.first && to <= active_.last)
        return;
    const Range added{from, to};
    if (!active_.none() && active_.touches(added)) {
        active_ = {std::min(active_.first, from), std::max(active_.last, to)};
    } else {
        if (!active_.none())
            others().active.emplace(active_.first, active_.last);
        active_ = added;
    }
    if (others_)
        take_in_touching();
}

void ThroughputColumn::take_in_touching() {
    auto &all = others_->active;
    auto at = all.upper_bound(active_.first);
    if (at != all.begin() && std::prev(at)->second + 1 >= active_.first)
        --at;
    while (at != all.end() && active_.touches({at->first, at->second})) {
        active_ = {std::min(active_.first, at->first), std::max(active_.last, at->second)};
        at = all.erase(at);
    }
}

void ThroughputColumn::add_active_if_passed(std::uint64_t from, std::uint64_t to) {
    each_run([&](std::uint64_t first, const std::vector<ThroughputCell> &cells) {
        for (std::uint64_t i = std::max(from, first); i <= to && i - first < cells.size(); ++i)
            if (cells[i - first].stream_bytes != 0)
                add_active(i, i);
    });
}

void ThroughputColumn::list(std::uint64_t from, std::uint64_t to, std::vector<std::uint64_t> &out) const {
    each_run([&](std::uint64_t first, const std::vector<ThroughputCell> &cells) {
        for (std::uint64_t i = std::max(from, first); i < to && i - first < cells.size(); ++i)
            if (!cells[i - first].empty())
                out.push_back(i);
    });
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
