// SPDX-License-Identifier: GPL-2.0-or-later
// ConnectionEntries: enters the busy time of one connection into the ledger, once nothing can change it.
//
// In: entries, and waits; whether bytes behind a hole are not known yet. Out: each of them once, to the
// Ledger, and their sum. States: framed (what comes is entered at once); else it is kept: that no task was
// open may still show. Then the time without a task (NoTaskIntervals) is taken off. Bound: max_late are kept.
#pragma once

#include "analyzer/cycles/ledger/ledger.h"
#include "analyzer/cycles/records/no_task_intervals.h"

#include <memory>
#include <variant>
#include <vector>

namespace iscsiscope {

class ConnectionEntries {
public:
    static constexpr std::size_t max_late = 4096;

    // Ledger and intervals must outlive it. Called before all others.
    void open(NoTaskIntervals &without_task, Ledger &ledger) {
        without_task_ = &without_task;
        ledger_ = &ledger;
    }
    // all: the PDUs of all bytes that have passed are known.
    void framed(bool all);
    // All are known, and the active life has ended then: no later time is busy.
    void finish(Time life_end);
    void put(const LedgerEntry &);
    void put(const Wait &);
    // A frame has been dealt with. waits_pending: waits of before now will follow.
    void frame_done(bool waits_pending);

    // How much of [from, to) has no task.
    Duration without_task(Time from, Time to) const { return without_task_->known_in(from, to); }
    const OwnerTimes &total() const { return total_; }
    Ledger::Account &account() { return account_; }
    void show(OldestCycle &) const;

private:
    void enter(const LedgerEntry &);
    void enter(const Wait &);
    void enter_late(Time life_end = Time::max());
    void keep(std::variant<LedgerEntry, Wait>);

    Ledger *ledger_ = nullptr;
    Ledger::Account account_;
    NoTaskIntervals *without_task_ = nullptr;
    OwnerTimes total_;
    std::unique_ptr<std::vector<std::variant<LedgerEntry, Wait>>> late_; // null: none is kept, as mostly
    bool framed_ = true;
};

} // namespace iscsiscope
