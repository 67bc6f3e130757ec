// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/owners/time_owners.h"

#include "analyzer/cycles/owners/gap_owner.h"

#include <algorithm>

namespace iscsiscope {
namespace {

Duration overlap(Time from, Time to, Time since) {
    return to > std::max(from, since) ? to - std::max(from, since) : Duration{};
}

bool same_work(const OwnedRecord &r, const WaitParts &w) {
    return r.lun == w.lun && r.type == w.type;
}

// The part of a gap's path that the distance does not explain.
Duration trouble(const GapRecord &gap) {
    if (is_repair(gap.kind))
        return gap.path;
    if (!gap.rtt_to_awaited)
        return Duration{};
    return std::max(Duration{}, gap.path - *gap.rtt_to_awaited - gap.rtt_to_other.value_or(Duration{}));
}

} // namespace

void TimeOwners::state(StreamId stream, const HeldWork &held, bool life_started,
                       std::optional<Time> without_task_from, const RecordTables &records) {
    begun_ = life_started;
    if (held.open) {
        if (tail_ != Duration{}) {
            flush(run_, records);
            OwnedRecord tail{stream, tail_start_, tail_, {}, held_.type, held_.lun};
            tail.owners[Owner::network] = tail_;
            flush(tail, records);
            tail_ = Duration{};
        }
        held_ = held;
    } else {
        held_.open = false;
    }
    without_task_from_ = without_task_from.value_or(Time::max());
}

WaitParts TimeOwners::parts(const IntervalEnd &i) const {
    WaitParts w;
    w.length = i.to - i.from;
    w.counted = begun_;
    w.open = held_.open;
    w.type = held_.type;
    w.lun = held_.lun;
    if (!held_.open) {
        w.without_task = overlap(i.from, i.to, without_task_from_);
        return w;
    }
    w.oldest_awaits_target = held_.oldest_awaits_target;
    w.tap_rtt_known = held_.tap_rtt_known;
    w.at_target = overlap(i.from, std::min(i.to, i.sent_by.value_or(i.to)), held_.at_target);
    if (i.others >= w.length - w.length / 4)
        w.at_target = Duration{}; // other connections filled the path
    w.at_host = overlap(i.from, i.to, held_.at_initiator);
    return w;
}

void TimeOwners::run(StreamId stream, const IntervalEnd &i, std::uint32_t bytes, bool continues,
                     bool held_by_tcp, const RecordTables &records) {
    CarriedRate &rate = rates_[i.from_target ? 1 : 0];
    if (continues) {
        rate.add(bytes, i.to - i.from);
    } else {
        rates_[0].close();
        rates_[1].close();
    }
    if (!begun_)
        return;
    IntervalEnd rest = i;
    const Duration needed = rate.needed(bytes, i.to - i.from);
    rest.to = i.to - needed;
    const WaitParts w = parts(rest);
    if (!w.open) {
        // The bytes that pass now belong to no task; the time is the way's.
        const Duration busy = i.to - i.from - overlap(i.from, i.to, without_task_from_);
        if (tail_ == Duration{})
            tail_start_ = i.from;
        tail_ += busy;
        return;
    }
    if (run_.length != Duration{} && !same_work(run_, w))
        flush(run_, records);
    if (run_.length == Duration{})
        run_ = {stream, i.from, {}, {}, w.type, w.lun};
    run_.length += i.to - i.from;
    run_.owners[Owner::transfer] += needed;
    const bool target = i.from_target || held_.at_initiator == Time::max();
    // Spacings of up to four times what the bytes need are those of a path (docs/figures.md, "Threshold").
    const bool on_the_way = held_by_tcp || (continues && i.to - i.from <= 4 * needed);
    const Duration own = on_the_way ? Duration{} : target ? w.at_target : w.at_host;
    run_.owners[!w.tap_rtt_known ? Owner::unknown : target ? Owner::target : Owner::host] += own;
    run_.owners[w.tap_rtt_known || on_the_way ? Owner::network : Owner::unknown] += w.length - own;
}

WaitParts TimeOwners::wait(const IntervalEnd &i, const RecordTables &records) {
    flush(run_, records);
    rates_[0].pause();
    rates_[1].pause();
    return parts(i);
}

void TimeOwners::gap(GapRecord &gap, const WaitParts &w, bool sent_by_target, const RecordTables &records) {
    // No task is open before the first command, either.
    gap.without_task = !w.counted && gap.kind == GapKind::initiator_idle ? gap.length : w.without_task;
    const EndPart end = end_part(gap, w, sent_by_target);
    gap.end_part = end.length;
    gap.end_owner = end.owner;
    gap.path = gap.length - gap.without_task - gap.end_part;
    if (!w.counted || gap.active_part < gap.length)
        return; // the active life begins or ends in it
    OwnedRecord record{gap.stream, gap.start, gap.length - gap.without_task, {}, w.type, w.lun};
    record.owners[Owner::network] += gap.path;
    record.owners[end.owner] += gap.end_part;
    record.owners.trouble = trouble(gap);
    total_ += record.owners;
    records.put(record);
}

void TimeOwners::flush(OwnedRecord &record, const RecordTables &records) {
    if (record.length != Duration{}) {
        total_ += record.owners;
        records.put(record);
    }
    record = {};
}

} // namespace iscsiscope
