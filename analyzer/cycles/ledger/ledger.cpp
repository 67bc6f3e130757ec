// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/ledger/ledger.h"

namespace iscsiscope {

void Ledger::enter(const Wait &wait, const CycleRecord *task, WaitBeside beside) const {
    for (const LedgerEntry &e : entries_of(wait, task, beside))
        records_.put(e);
}

void Ledger::wait(const Wait &wait) {
    if (!wanted_ || outages_.keep(wait) || wait.gap.active_part <= Duration{})
        return;
    if (!wait.gap.cycle || kept_ == most) {
        enter(wait, nullptr, WaitBeside::nothing);
        return;
    }
    std::uint32_t at = free_;
    if (at != FlatMap::none) {
        free_ = slots_[at].next;
    } else {
        at = static_cast<std::uint32_t>(slots_.size());
        slots_.emplace_back();
    }
    const std::uint64_t task = wait.gap.cycle->number;
    slots_[at] = {wait, true, first_of_.find(task)};
    first_of_.set(task, at);
    ++kept_;
}

void Ledger::give_back(std::uint32_t slot) {
    slots_[slot].used = false;
    slots_[slot].next = free_;
    free_ = slot;
    --kept_;
}

bool Ledger::task(const CycleRecord &r) {
    if (!wanted_)
        return false;
    const bool beside = long_.take(r);
    std::uint32_t at = kept_ == 0 ? FlatMap::none : first_of_.find(r.cycle.number);
    if (at == FlatMap::none)
        return beside;
    first_of_.erase(r.cycle.number);
    while (at != FlatMap::none) {
        enter(slots_[at].wait, &r, beside ? WaitBeside::long_command : WaitBeside::nothing);
        const std::uint32_t next = slots_[at].next;
        give_back(at);
        at = next;
    }
    return beside;
}

void Ledger::close(StreamId stream, const std::array<const TcpDirectionFigures *, 2> &figures) {
    outages_.decide(
        stream, figures,
        [&](const OutageInterval &o) {
            records_.put(OutageRecord{stream, o});
        },
        [this](const Wait &wait, bool outage) {
            enter(wait, nullptr, outage ? WaitBeside::outage : WaitBeside::nothing);
        });
    for (std::uint32_t i = 0; kept_ != 0 && i < slots_.size(); ++i) {
        if (!slots_[i].used || slots_[i].wait.gap.stream != stream)
            continue;
        first_of_.erase(slots_[i].wait.gap.cycle->number);
        enter(slots_[i].wait, nullptr, WaitBeside::nothing);
        give_back(i);
    }
}

} // namespace iscsiscope
