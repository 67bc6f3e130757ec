// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/trackers/throughput_tracker.h"

#include "analyzer/base/ratio.h"

#include <algorithm>
#include <utility>

namespace iscsiscope {

ThroughputTracker::Clock &ThroughputTracker::clock_of(const MemberUnit &unit) {
    return unit.certain ? clocks_.of(unit.index) : shared_;
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
    if (clock.waiting.size() == max_waiting)
        settle(clock);
}

void ThroughputTracker::passed(const Member &m, const StreamBytes &p) {
    Clock &clock = clock_of(*m.unit);
    if (Unread *u = sums_.of(m.index).unread.get(); u != nullptr) {
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
    if (all.size() == max_waiting_bytes) {
        settle(clock);
        if (clock.settled) {
            add(clock, passed);
            return;
        }
        // There was no command yet, and the intervals begin with the first one: what is oldest goes.
        all.erase(all.begin(), all.begin() + max_waiting_bytes / 2);
    }
    all.push_back(passed);
}

void ThroughputTracker::pdu(const Member &m, Time delivered) {
    if (Unread *u = sums_.of(m.index).unread.get(); u != nullptr)
        u->last_pdu = delivered;
}

void ThroughputTracker::lost(const Member &m) {
    Sums &s = sums_.of(m.index);
    if (!s.unread)
        s.unread = std::make_unique<Unread>();
    s.unread->begins = true;
}

void ThroughputTracker::found(const Member &m) {
    if (Unread *u = sums_.of(m.index).unread.get(); u != nullptr)
        end_search(*u);
}

void ThroughputTracker::end_search(Unread &u) {
    u.begins = false;
    const auto since = std::exchange(u.since, std::nullopt);
    if (since && u.stretches.size() < max_unread)
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
        s.active.add(std::max(from, *clock.first), to);
        s.cells.add_active_if_passed(interval_of(clock, from), interval_of(clock, to));
    }
}

void ThroughputTracker::settle(Clock &clock) {
    if (clock.settled || !clock.first)
        return;
    clock.settled = true;
    for (const Passed &p : clock.waiting_bytes) // in the order of time, unlike the starts of tasks
        add(clock, p);
    clock.waiting_bytes.clear();
    clock.waiting_bytes.shrink_to_fit();
    for (const Ended &e : clock.waiting)
        add(clock, e);
    clock.waiting.clear();
    clock.waiting.shrink_to_fit();
}

void ThroughputTracker::close(const MemberUnit &unit) {
    if (Clock *clock = clocks_.find(unit.index); unit.certain && clock != nullptr)
        settle(*clock);
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

ThroughputCell *ThroughputTracker::cell(Sums &s, std::uint64_t interval) {
    ThroughputCell *made = s.cells.make(interval, room_);
    s.left_out += made == nullptr ? 1 : 0;
    return made;
}

void ThroughputTracker::add(Clock &clock, const Ended &e) {
    Sums &s = sums_.of(e.of.member());
    s.bytes += e.of.bytes();
    ++s.tasks;
    s.active.add(e.start, e.end);
    const std::uint64_t from = interval_of(clock, e.start), to = interval_of(clock, e.end);
    ThroughputCell *last = cell(s, to);
    if (last == nullptr)
        return;
    last->bytes += e.of.bytes();
    ++last->tasks;
    s.cells.add_active(from, to);
}

void ThroughputTracker::add(Clock &clock, const Passed &p) {
    if (p.time < *clock.first)
        return; // of the login
    Sums &s = sums_.of(p.of.member());
    s.stream_bytes += p.of.bytes();
    if (ThroughputCell *at = cell(s, interval_of(clock, p.time)); at != nullptr)
        at->stream_bytes += p.of.bytes();
}

std::vector<ThroughputFigures> ThroughputTracker::take(MemberTable &table,
                                                       const std::vector<SessionGroup> &groups) {
    for (const auto &unit : table.units())
        if (Clock *clock = clocks_.find(unit->index))
            settle(*clock);
    settle(shared_);
    std::vector<ThroughputFigures> all;
    for (const SessionGroup &group : groups) {
        ThroughputFigures f;
        f.session = group.session;
        f.interval = interval_;
        std::vector<ThroughputColumn> columns;
        Extent active;
        std::uint64_t left_out = 0;
        for (const StreamId stream : group.streams) {
            const Member *m = table.of_stream(stream);
            Sums &s = sums_.of(m->index);
            count_unread(clock_of(*m->unit), s);
            f.streams.push_back(m->stream);
            f.totals.push_back(s);
            left_out += s.left_out;
            columns.push_back(std::move(s.cells));
            active.add(s.active);
            if (!s.active.empty())
                f.first = *clock_of(*m->unit).first;
        }
        if (active.empty())
            continue;
        f.active = active.length();
        std::vector<double> rates;
        for (const ThroughputFigures::Total &t : f.totals)
            if (const auto rate = per_second(t.stream_bytes, f.active))
                rates.push_back(*rate);
        f.total_rate = spread_of(rates);
        const auto intervals_to = [&](Time t) {
            return t <= f.first ? 0 : static_cast<std::uint64_t>((t - f.first) / interval_);
        };
        const std::uint64_t complete = intervals_to(active.end);
        std::uint64_t longest = 0;
        for (const ThroughputColumn &column : columns)
            longest = std::max(longest, column.end());
        if (left_out != 0)
            f.intervals_left_out = complete > longest ? complete - longest : 1;
        // A session with its own clock begins at interval 0; one that shares a clock may begin later.
        const std::uint64_t begins = intervals_to(active.start);
        const std::uint64_t ends = std::max(begins, std::min(complete, longest));
        f.rows = ThroughputRows(std::move(columns), begins, ends, interval_);
        all.push_back(std::move(f));
    }
    return all;
}

} // namespace iscsiscope
