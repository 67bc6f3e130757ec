// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/ledger/connection_entries.h"

#include <algorithm>
#include <utility>

namespace iscsiscope {

void ConnectionEntries::put(const LedgerEntry &e) {
    if (e.length <= Duration{})
        return;
    if (framed_)
        enter(e);
    else
        keep(e);
}

void ConnectionEntries::put(const Wait &w) {
    if (framed_)
        enter(w);
    else
        keep(w);
}

void ConnectionEntries::keep(std::variant<LedgerEntry, Wait> late) {
    if (!late_)
        late_ = std::make_unique<std::vector<std::variant<LedgerEntry, Wait>>>();
    late_->push_back(late);
    if (late_->size() >= max_late)
        enter_late();
}

void ConnectionEntries::enter(const LedgerEntry &e) {
    without_task_->not_before(e.end());
    total_[e.owner] += e.length;
    ledger_->put(e);
}

void ConnectionEntries::enter(const Wait &w) {
    const Duration busy = w.path() + w.end_part();
    if (busy > Duration{})
        without_task_->not_before(w.gap.start + busy);
    total_ += w.owners();
    ledger_->wait(account_, w);
}

// The time without a task stands behind the busy part of each.
void ConnectionEntries::enter_late(Time life_end) {
    if (!late_)
        return;
    for (auto &late : *late_) {
        if (LedgerEntry *e = std::get_if<LedgerEntry>(&late)) {
            e->length = std::min(e->end(), std::max(e->start, life_end)) - e->start;
            e->length -= without_task(e->start, e->end());
            if (e->length > Duration{})
                enter(*e);
            continue;
        }
        Wait &w = std::get<Wait>(late);
        const Time end = w.gap.start + w.path() + w.end_part();
        const Time last = std::clamp(life_end, w.gap.start, end);
        w.shorten(end - last);
        w.shorten(without_task(w.gap.start, last));
        enter(w);
    }
    late_.reset();
}

void ConnectionEntries::framed(bool all) {
    framed_ = all;
    if (all)
        enter_late();
}

void ConnectionEntries::finish(Time life_end) {
    framed_ = true;
    enter_late(life_end);
}

void ConnectionEntries::frame_done(bool waits_pending) {
    if (!late_ && !waits_pending)
        without_task_->settled();
}

void ConnectionEntries::show(OldestCycle &oldest) const {
    if (account_.outages)
        account_.outages->show(oldest);
    if (!late_)
        return;
    for (const auto &late : *late_)
        if (const LedgerEntry *e = std::get_if<LedgerEntry>(&late))
            oldest.see(e->cycle);
        else
            std::get<Wait>(late).show(oldest);
}

} // namespace iscsiscope
