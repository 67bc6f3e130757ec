// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/facts/waits.h"

#include <algorithm>
#include <chrono>

namespace iscsiscope {
namespace {

constexpr std::size_t max_kept = 3;

// Keeps the longest; of equal ones the first.
template <class Record, class Length>
void keep_longest(std::vector<Record> &kept, const Record &r, Length length) {
    if (kept.size() == max_kept && length(kept.back()) >= length(r))
        return;
    if (kept.size() == max_kept)
        kept.pop_back();
    else
        kept.reserve(kept.size() + 1); // exactly: there are many short lists
    kept.insert(std::ranges::upper_bound(kept, length(r), std::greater<>{}, length), r);
}

Duration length_of(const LedgerEntry &e) {
    return e.length;
}

Duration pause_of(const GapRecord &gap) {
    return gap.active_part;
}

} // namespace

void Waits::add(const LedgerEntry &e) {
    const bool same = count > 0 && e.before_frame != 0 && e.before_frame == last_before_;
    last_before_ = e.before_frame;
    count += same ? 0 : 1;
    time += e.length;
    owners += e.owners();
    own.add(to_ns(e.length));
    course.add(e.start, e.length, e.before_frame);
    by_lun.add({e.lun, e.type}, same ? 0 : 1, e.length);
    if (e.depth > 0 && !same) {
        ++tasks;
        depth_sum += e.depth;
    }
    keep_longest(worst, e, length_of);
}

void Waits::merge(const Waits &other) {
    count += other.count;
    time += other.time;
    owners += other.owners;
    depth_sum += other.depth_sum;
    tasks += other.tasks;
    own.merge(other.own);
    course.merge(other.course);
    for (const LunTypeSum &g : other.by_lun.sums())
        by_lun.add(g.key, g.count, g.time);
    for (const LedgerEntry &e : other.worst)
        keep_longest(worst, e, length_of);
}

void IdlePauses::add(const GapRecord &gap) {
    const Duration way = gap.rtt_to_awaited.value_or(Duration{}),
                   beyond = std::max(Duration{}, gap.length - way);
    const bool of_host = gap.kind == GapKind::initiator_idle || gap.kind == GapKind::initiator_pause;
    if (!of_host || beyond <= way)
        return;
    const Duration pause = std::min(gap.without_task, gap.active_part);
    ++count;
    time += pause;
    own.add(to_ns(beyond));
    keep_longest(worst, gap, pause_of);
    if (pause > std::chrono::milliseconds(200) && long_ones.size() < max_long)
        long_ones.push_back(pause);
}

void IdlePauses::merge(const IdlePauses &other) {
    count += other.count;
    time += other.time;
    own.merge(other.own);
    for (const GapRecord &gap : other.worst)
        keep_longest(worst, gap, pause_of);
    long_ones.insert(long_ones.end(), other.long_ones.begin(), other.long_ones.end());
}

} // namespace iscsiscope
