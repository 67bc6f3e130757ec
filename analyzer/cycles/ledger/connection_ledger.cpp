// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/ledger/connection_ledger.h"

#include "analyzer/cycles/ledger/gap_owner.h"

#include <algorithm>

namespace iscsiscope {
namespace {

// Pieces of a tail that are kept: one for each idle gap within a round trip. The time of further ones is
// unknown.
constexpr std::size_t max_tail = 256;

Duration overlap(Time from, Time to, Time since) {
    return to > std::max(from, since) ? to - std::max(from, since) : Duration{};
}

} // namespace

LedgerEntry ConnectionLedger::entry(Time start, Duration length, Owner owner, Cause cause) const {
    LedgerEntry e;
    e.stream = stream_;
    e.session = session_;
    e.lun = held_.lun;
    e.type = held_.type;
    e.owner = owner;
    e.cause = cause;
    e.start = start;
    e.length = length;
    return e;
}

void ConnectionLedger::begun(Time first_seen) {
    if (!begun_ || held_.open)
        return;
    // The rest of its bytes passed when no task was known to be open.
    command_from_ = std::min(command_from_, first_seen);
    for (Piece &p : tail_) {
        const Time from = std::max(p.busy_to, first_seen);
        if (from >= p.to)
            continue;
        entries_.put(entry(from, p.to - from, Owner::unknown, Cause::unclassified));
        p.to = from;
    }
}

void ConnectionLedger::state(const HeldWork &held, std::optional<Time> life_start,
                             std::optional<Time> without_task_from, bool gaps_pending) {
    if (life_start && !begun_) {
        begun_ = true;
        until_ = *life_start;
    }
    if (held.open) {
        if (!tail_.empty())
            flush_tail();
        held_ = held;
    } else {
        held_.open = false;
    }
    without_task_from_ = without_task_from.value_or(Time::max());
    command_from_ = Time::max();
    entries_.frame_done(gaps_pending);
}

WaitParts ConnectionLedger::parts(const IntervalEnd &i) const {
    WaitParts w;
    w.length = i.to - i.from;
    w.counted = begun_;
    w.open = held_.open;
    w.pdus_unknown = unknown_before_;
    w.type = held_.type;
    w.lun = held_.lun;
    if (!held_.open) {
        w.without_task = overlap(i.from, std::min(i.to, command_from_), without_task_from_);
        return w;
    }
    w.oldest = held_.oldest;
    w.oldest_awaits_target = held_.oldest_awaits_target;
    w.tap_rtt_known = held_.tap_rtt_known;
    w.at_target = overlap(i.from, std::min(i.to, i.sent_by.value_or(i.to)), held_.at_target);
    if (i.others() >= w.length - w.length / 4)
        w.at_target = Duration{}; // other connections filled the path
    w.at_host = overlap(i.from, i.to, held_.at_initiator);
    return w;
}

void ConnectionLedger::run(const IntervalEnd &i, std::uint32_t bytes, Continues continues, bool held_by_tcp) {
    CarriedRate &rate = rates_[i.from_target ? 1 : 0];
    if (continues == Continues::full_segment) {
        rate.add(bytes, i.to - i.from);
    } else if (continues == Continues::nothing) {
        rates_[0].close();
        rates_[1].close();
    }
    if (!begun_)
        return;
    fill(i.from);
    until_ = std::max(until_, i.to);
    const Duration length = i.to - i.from;
    const Duration needed = rate.needed(bytes, length, continues == Continues::full_segment);
    if (!held_.open) {
        // The bytes that pass now belong to no task; the time is the way's.
        const Time busy_to = std::max(i.from, std::min(i.to, without_task_from_)),
                   from = std::clamp(command_from_, busy_to, i.to);
        add_to_tail({i.from, busy_to, from});
        entries_.put(entry(from, i.to - from, Owner::unknown, Cause::unclassified));
        return;
    }
    if (run_.length != Duration{} &&
        (run_.lun != held_.lun || run_.type != held_.type || run_.oldest != held_.oldest))
        flush_run();
    if (run_.length == Duration{})
        run_ = {i.from, {}, {}, held_.type, held_.lun, held_.oldest};
    const auto add = [this](Owner owner, Duration d) { run_.parts[static_cast<std::size_t>(owner)] += d; };
    run_.length += length;
    add(Owner::transfer, needed);
    const bool target = i.from_target || held_.at_initiator == Time::max();
    // Spacings of up to four times what the bytes need are those of a path (docs/figures.md, "Threshold").
    const bool on_the_way = held_by_tcp || (continues != Continues::nothing && length <= 4 * needed);
    Duration own{};
    if (!on_the_way) {
        IntervalEnd rest = i;
        rest.to = i.to - needed;
        const WaitParts w = parts(rest);
        own = target ? w.at_target : w.at_host;
    }
    const bool known = held_.tap_rtt_known && !unknown_before_;
    add(!known ? Owner::unknown : target ? Owner::target : Owner::host, own);
    add(known || on_the_way ? Owner::network : Owner::unknown, length - needed - own);
}

WaitParts ConnectionLedger::wait(const IntervalEnd &i) {
    flush_run();
    rates_[0].pause();
    rates_[1].pause();
    if (begun_) {
        fill(i.from);
        until_ = std::max(until_, i.to);
    }
    return parts(i);
}

void ConnectionLedger::gap(GapRecord &gap, const WaitParts &w, bool sent_by_target) {
    // No task is open before the first command, either. That a task had ended may have shown later than it
    // did.
    gap.without_task =
        !w.counted && gap.kind == GapKind::initiator_idle
            ? gap.length
            : std::max(w.without_task, entries_.without_task(gap.start, gap.start + gap.length));
    const EndPart end = end_part(gap, w, sent_by_target);
    gap.end_part = std::min(end.length, gap.length - gap.without_task);
    gap.end_owner = end.owner;
    gap.path = gap.length - gap.without_task - gap.end_part;
    Wait wait{gap, session_, w.oldest, w.lun, w.type, w.by_nagle};
    if (!w.counted)
        wait.gap.active_part = Duration{}; // an outage may begin before the active life
    entries_.put(wait);
}

// Busy time before an interval that no interval holds.
void ConnectionLedger::fill(Time to) {
    if (to <= until_)
        return;
    flush_run();
    const Time end = held_.open ? to : std::min(to, without_task_from_);
    if (end > until_)
        entries_.put(entry(until_, end - until_, Owner::unknown, Cause::unclassified));
}

// The parts of a run stand one behind the other, in the order of the owners.
void ConnectionLedger::flush_run() {
    if (run_.length == Duration{})
        return;
    Time at = run_.start;
    for (std::size_t i = 0; i < owner_count; ++i) {
        const auto owner = static_cast<Owner>(i);
        LedgerEntry e =
            entry(at, run_.parts[i], owner, owner == Owner::transfer ? Cause::transfer : Cause::spacing);
        e.cycle = run_.oldest;
        e.lun = run_.lun;
        e.type = run_.type;
        entries_.put(e);
        at += run_.parts[i];
    }
    run_ = {};
}

void ConnectionLedger::add_to_tail(Piece p) {
    if (p.to <= p.from)
        return;
    Piece *last = tail_.empty() ? nullptr : &tail_.back();
    if (last != nullptr && last->to == p.from && (last->busy_to == last->to || p.busy_to == p.from)) {
        last->busy_to = std::max(last->busy_to, p.busy_to > p.from ? p.busy_to : last->busy_to);
        last->to = p.to;
        return;
    }
    if (tail_.size() == max_tail)
        std::erase_if(tail_, [](const Piece &old) { return old.busy_to == old.from; });
    if (tail_.size() < max_tail)
        tail_.push_back(p);
}

void ConnectionLedger::flush_tail() {
    flush_run();
    for (const Piece &p : tail_)
        entries_.put(entry(p.from, p.busy_to - p.from, Owner::network, Cause::round_trip));
    tail_ = std::vector<Piece>(); // there are many connections
}

void ConnectionLedger::finish(std::optional<Duration> busy, Time life_end) {
    flush_run();
    entries_.finish(life_end);
    if (!busy)
        return;
    if (const Duration rest = *busy - total().sum(); rest > Duration{})
        entries_.put(entry(life_end - rest, rest, Owner::unknown, Cause::unclassified));
    // What was entered is busy: that a task had ended showed only later.
}

} // namespace iscsiscope
