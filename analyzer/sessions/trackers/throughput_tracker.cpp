// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/trackers/throughput_tracker.h"

#include <algorithm>
#include <utility>

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
        clock.begin_at(first_seen);
}

void ThroughputTracker::task(const Member &m, const CycleRecord &r) {
    Clock &clock = clock_of(*m.unit);
    const Ended ended{r.start, r.end, {m.index, r.bytes_moved}};
    if (clock.settled) {
        add(clock, ended);
        return;
    }
    if (!clock.first || r.start < *clock.first)
        clock.begin_at(r.start);
    clock.waiting.push_back(ended);
    if (clock.waiting.size() == most_waiting)
        settle(clock);
}

void ThroughputTracker::passed(const Member &m, const StreamBytes &p) {
    Clock &clock = clock_of(*m.unit);
    if (Unread *u = sums_of(m.index).unread.get(); u != nullptr) {
        if (std::exchange(u->begins, false) && !u->since)
            u->since = p.time;
        u->last_passed = p.time;
    }
    const Passed passed{p.time, {m.index, p.total()}};
    if (clock.settled) {
        add(clock, passed);
        return;
    }
    std::vector<Passed> &all = clock.waiting_bytes;
    if (clock.first && !all.empty()) {
        Passed &last = all.back();
        if (last.time < *clock.first) { // of the login
            std::erase_if(
                all, [&](const Passed &early) { return early.time < *clock.first; });
        } else if (last.of.member() == passed.of.member() &&
                   interval_of(clock, last.time) == interval_of(clock, passed.time)) {
            last.of = {m.index, last.of.bytes() + passed.of.bytes()};
            return;
        }
    }
    if (all.size() == most_waiting_bytes) {
        settle(clock);
        if (clock.settled) {
            add(clock, passed);
            return;
        }
        // There was no command yet, and the intervals begin with the first one: what is oldest goes.
        all.erase(all.begin(), all.begin() + most_waiting_bytes / 2);
    }
    all.push_back(passed);
}

void ThroughputTracker::pdu(const Member &m, Time delivered) {
    if (Unread *u = sums_of(m.index).unread.get(); u != nullptr)
        u->last_pdu = delivered;
}

void ThroughputTracker::lost(const Member &m) {
    Sums &s = sums_of(m.index);
    if (!s.unread)
        s.unread = std::make_unique<Unread>();
    s.unread->begins = true;
}

void ThroughputTracker::found(const Member &m) {
    if (Unread *u = sums_of(m.index).unread.get(); u != nullptr)
        end_search(*u);
}

void ThroughputTracker::end_search(Unread &u) {
    u.begins = false;
    const auto since = std::exchange(u.since, std::nullopt);
    if (since && u.stretches.size() < most_unread)
        u.stretches.emplace_back(*since, u.last_passed);
    else if (since)
        u.stretches.back().second = u.last_passed;
}

void ThroughputTracker::count_unread(Clock &clock, Sums &s) {
    if (!s.unread)
        return;
    if (s.unread->since && *s.unread->since > s.unread->last_pdu) // never found again
        end_search(*s.unread);
    for (const auto &[from, to] : s.unread->stretches) {
        if (!clock.first || to < *clock.first)
            continue;
        s.start = s.start ? std::min(*s.start, std::max(from, *clock.first)) : std::max(from, *clock.first);
        s.end = s.end ? std::max(*s.end, to) : to;
        const std::uint64_t last = interval_of(clock, to);
        for (std::uint64_t i = interval_of(clock, from); i <= last && i < s.rows.size(); ++i)
            s.rows[i].active |= s.rows[i].stream_bytes != 0;
    }
}

void ThroughputTracker::settle(Clock &clock) {
    if (clock.settled || !clock.first)
        return;
    clock.settled = true;
    for (const Ended &e : clock.waiting)
        add(clock, e);
    clock.waiting.clear();
    clock.waiting.shrink_to_fit();
    for (const Passed &p : clock.waiting_bytes)
        add(clock, p);
    clock.waiting_bytes.clear();
    clock.waiting_bytes.shrink_to_fit();
}

void ThroughputTracker::close(const MemberUnit &unit) {
    if (unit.certain && unit.index < clocks_.size() && clocks_[unit.index])
        settle(*clocks_[unit.index]);
}

std::uint64_t ThroughputTracker::interval_of(Clock &clock, Time t) const {
    if (clock.recent.known && t >= clock.recent.begin && t - clock.recent.begin < interval_)
        return clock.recent.number;
    if (t <= *clock.first)
        return 0;
    const auto number = (t - *clock.first) / interval_;
    clock.recent = {true, *clock.first + number * interval_, static_cast<std::uint64_t>(number)};
    return clock.recent.number;
}

ThroughputTracker::Sums &ThroughputTracker::sums_of(std::uint32_t member) {
    if (sums_.size() <= member)
        sums_.resize(member + std::size_t{1});
    return sums_[member];
}

ThroughputCell *ThroughputTracker::cell(Sums &s, std::uint64_t interval) {
    if (interval >= s.rows.size()) {
        const std::uint64_t more = interval + 1 - s.rows.size();
        if (more > most_rows - rows_) {
            ++s.left_out;
            return nullptr;
        }
        rows_ += more;
        s.rows.resize(interval + 1);
    }
    return &s.rows[interval];
}

void ThroughputTracker::add(Clock &clock, const Ended &e) {
    Sums &s = sums_of(e.of.member());
    s.bytes += e.of.bytes();
    ++s.tasks;
    s.start = s.start ? std::min(*s.start, e.start) : e.start;
    s.end = s.end ? std::max(*s.end, e.end) : e.end;
    const std::uint64_t from = interval_of(clock, e.start), to = interval_of(clock, e.end);
    ThroughputCell *last = cell(s, to);
    if (last == nullptr)
        return;
    last->bytes += e.of.bytes();
    ++last->tasks;
    for (std::uint64_t i = from; i <= to; ++i)
        s.rows[i].active = true;
}

void ThroughputTracker::add(Clock &clock, const Passed &p) {
    if (p.time < *clock.first)
        return; // of the login
    Sums &s = sums_of(p.of.member());
    s.stream_bytes += p.of.bytes();
    if (ThroughputCell *at = cell(s, interval_of(clock, p.time)); at != nullptr)
        at->stream_bytes += p.of.bytes();
}

ThroughputRow ThroughputRows::operator[](std::size_t i) const {
    const auto seconds = static_cast<double>(to_ns(interval_)) / 1e9;
    ThroughputRow row;
    row.interval = first_ + i;
    std::vector<double> rates;
    for (const auto &column : columns_) {
        const ThroughputCell c = row.interval < column.size() ? column[row.interval] : ThroughputCell{};
        row.stream_bytes.push_back(c.stream_bytes);
        row.bytes.push_back(c.bytes);
        row.tasks.push_back(c.tasks);
        row.active.push_back(c.active ? 1 : 0);
        if (c.active)
            rates.push_back(static_cast<double>(c.stream_bytes) / seconds);
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
            count_unread(clock_of(*m->unit), s);
            f.streams.push_back(m->stream);
            f.totals.push_back({s.stream_bytes, s.bytes, s.tasks});
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
            for (const ThroughputFigures::Total &t : f.totals)
                rates.push_back(static_cast<double>(t.stream_bytes) / seconds(f.active));
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
