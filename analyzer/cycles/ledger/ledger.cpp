// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/ledger/ledger.h"

#include <algorithm>
#include <vector>

namespace iscsiscope {

void Ledger::enter(const Wait &wait, const CycleRecord *task, WaitBeside beside) const {
    for (const LedgerEntry &e : entries_of(wait, task, beside))
        records_.put(e);
}

void Ledger::wait(Account &of, const Wait &wait) {
    if (!wanted_ || (OutageGaps::may_show(wait) && outages(of).keep(wait)) ||
        wait.gap.active_part <= Duration{})
        return;
    if (!wait.gap.cycle || of.kept == most) {
        enter(wait, nullptr, WaitBeside::nothing);
        return;
    }
    const std::uint32_t at = slots_.take();
    const std::uint64_t task = wait.gap.cycle->number;
    slots_[at] = {wait, &of, first_of_.find(task, task), of.last, FlatMap::none};
    first_of_.set(task, task, at);
    if (of.last != FlatMap::none)
        slots_[of.last].behind = at;
    of.last = at;
    ++of.kept;
}

void Ledger::give_back(std::uint32_t slot) {
    Slot &s = slots_[slot];
    --s.of->kept;
    (s.behind == FlatMap::none ? s.of->last : slots_[s.behind].before) = s.before;
    if (s.before != FlatMap::none)
        slots_[s.before].behind = s.behind;
    s.of = nullptr;
    slots_.give_back(slot);
}

void Ledger::task(const CycleRecord &r, bool beside_long_command) {
    std::uint32_t at = first_of_.find(r.cycle.number, r.cycle.number);
    if (at == FlatMap::none)
        return;
    first_of_.erase(r.cycle.number, r.cycle.number);
    while (at != FlatMap::none) {
        enter(slots_[at].wait, &r, beside_long_command ? WaitBeside::long_command : WaitBeside::nothing);
        const std::uint32_t next = slots_[at].next;
        give_back(at);
        at = next;
    }
}

void Ledger::close(Account &of, StreamId stream, const std::array<const TcpDirectionFigures *, 2> &figures) {
    if (of.outages)
        of.outages->decide(
            figures,
            [&](const OutageInterval &o) {
                records_.put(OutageRecord{stream, o});
            },
            [this](const Wait &wait, bool outage) {
                enter(wait, nullptr, outage ? WaitBeside::outage : WaitBeside::nothing);
            });
    if (of.kept == 0)
        return;
    std::vector<std::uint32_t> left;
    for (std::uint32_t i = of.last; i != FlatMap::none; i = slots_[i].before)
        left.push_back(i);
    std::sort(left.begin(), left.end(), [this](std::uint32_t a, std::uint32_t b) {
        return slots_[a].wait.gap.start < slots_[b].wait.gap.start;
    });
    for (const std::uint32_t i : left) {
        const std::uint64_t task = slots_[i].wait.gap.cycle->number;
        first_of_.erase(task, task);
        enter(slots_[i].wait, nullptr, WaitBeside::nothing);
        give_back(i);
    }
}

} // namespace iscsiscope
