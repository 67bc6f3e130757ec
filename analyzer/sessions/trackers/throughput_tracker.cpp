// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/trackers/throughput_tracker.h"

#include <algorithm>

namespace iscsiscope {

ThroughputTracker::Clock &ThroughputTracker::clock_of(const MemberUnit &unit) {
    if (!unit.certain)
        return shared_;
    if (unit.index >= clocks_.size())
        clocks_.resize(unit.index + std::size_t{1});
    if (!clocks_[unit.index])
        clocks_[unit.index] = std::make_unique<Clock>();
    return *clocks_[unit.index];
}

void ThroughputTracker::command(const Member &m, Time first_seen) {
    Clock &clock = clock_of(*m.unit);
    if (!clock.settled && (!clock.first || first_seen < *clock.first))
        clock.first = first_seen;
}

void ThroughputTracker::task(const Member &m, const CycleRecord &r) {
    Clock &clock = clock_of(*m.unit);
    const Ended ended{m.index, r.start, r.end, r.bytes_moved};
    if (clock.settled) {
        add(clock, ended);
        return;
    }
    if (!clock.first || r.start < *clock.first)
        clock.first = r.start;
    clock.waiting.push_back(ended);
    if (clock.waiting.size() == most_waiting)
        settle(clock);
}

void ThroughputTracker::settle(Clock &clock) {
    if (clock.settled || !clock.first)
        return;
    clock.settled = true;
    for (const Ended &e : clock.waiting)
        add(clock, e);
    clock.waiting.clear();
    clock.waiting.shrink_to_fit();
}

void ThroughputTracker::close(const MemberUnit &unit) {
    if (unit.certain && unit.index < clocks_.size() && clocks_[unit.index])
        settle(*clocks_[unit.index]);
}

std::uint64_t ThroughputTracker::interval_of(const Clock &clock, Time t) const {
    return t <= *clock.first ? 0 : static_cast<std::uint64_t>((t - *clock.first) / interval_);
}

void ThroughputTracker::add(Clock &clock, const Ended &e) {
    if (sums_.size() <= e.member)
        sums_.resize(e.member + std::size_t{1});
    Sums &s = sums_[e.member];
    s.bytes += e.bytes;
    ++s.tasks;
    s.start = s.start ? std::min(*s.start, e.start) : e.start;
    s.end = s.end ? std::max(*s.end, e.end) : e.end;
    const std::uint64_t from = interval_of(clock, e.start), to = interval_of(clock, e.end);
    if (to >= s.rows.size()) {
        const std::uint64_t more = to + 1 - s.rows.size();
        if (more > most_rows - rows_) {
            ++s.left_out;
            return;
        }
        rows_ += more;
        s.rows.resize(to + 1);
    }
    s.rows[to].bytes += e.bytes;
    ++s.rows[to].tasks;
    for (std::uint64_t i = from; i <= to; ++i)
        s.rows[i].active = true;
}

ThroughputRow ThroughputRows::operator[](std::size_t i) const {
    const auto seconds = static_cast<double>(to_ns(interval_)) / 1e9;
    ThroughputRow row;
    row.interval = first_ + i;
    std::vector<double> rates;
    for (const auto &column : columns_) {
        const ThroughputCell c = row.interval < column.size() ? column[row.interval] : ThroughputCell{};
        row.bytes.push_back(c.bytes);
        row.tasks.push_back(c.tasks);
        row.active.push_back(c.active ? 1 : 0);
        if (c.active)
            rates.push_back(static_cast<double>(c.bytes) / seconds);
    }
    row.rate = spread_of(rates);
    return row;
}

std::vector<ThroughputFigures> ThroughputTracker::take(MemberTable &table,
                                                       const std::vector<SessionGroup> &groups) {
    for (auto &clock : clocks_)
        if (clock)
            settle(*clock);
    settle(shared_);
    sums_.resize(table.members().size());
    std::vector<ThroughputFigures> all;
    for (const SessionGroup &group : groups) {
        ThroughputFigures f;
        f.session = group.session;
        f.interval = interval_;
        std::vector<std::vector<ThroughputCell>> columns;
        std::optional<Time> start, end;
        std::uint64_t left_out = 0;
        for (const std::uint64_t stream : group.streams) {
            const Member *m = table.of_stream(stream);
            Sums &s = sums_[m->index];
            f.streams.push_back(m->stream);
            f.total_bytes.push_back(s.bytes);
            f.total_tasks.push_back(s.tasks);
            left_out += s.left_out;
            columns.push_back(std::move(s.rows));
            if (s.start) {
                start = start ? std::min(*start, *s.start) : *s.start;
                end = end ? std::max(*end, *s.end) : *s.end;
                f.first = *clock_of(*m->unit).first;
            }
        }
        if (!start)
            continue;
        f.active = *end - *start;
        std::vector<double> rates;
        const auto seconds = [](Duration d) { return static_cast<double>(to_ns(d)) / 1e9; };
        if (f.active > Duration{0}) {
            for (const std::uint64_t b : f.total_bytes)
                rates.push_back(static_cast<double>(b) / seconds(f.active));
            f.total_rate = spread_of(rates);
        }
        const auto complete = *end <= f.first ? 0 : static_cast<std::uint64_t>((*end - f.first) / interval_);
        std::uint64_t longest = 0;
        for (const auto &column : columns)
            longest = std::max<std::uint64_t>(longest, column.size());
        f.intervals_left_out = complete > longest ? complete - longest : 0;
        // A session with its own clock begins at interval 0; one that shares a clock may begin later.
        const auto begins =
            *start <= f.first ? 0 : static_cast<std::uint64_t>((*start - f.first) / interval_);
        const std::uint64_t ends = std::max(begins, std::min(complete, longest));
        f.rows =
            ThroughputRows(std::move(columns), begins, static_cast<std::size_t>(ends - begins), interval_);
        if (left_out != 0 && f.intervals_left_out == 0)
            f.intervals_left_out = 1;
        all.push_back(std::move(f));
    }
    return all;
}

} // namespace iscsiscope
