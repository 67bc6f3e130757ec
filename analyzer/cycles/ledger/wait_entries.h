// SPDX-License-Identifier: GPL-2.0-or-later
// The entries of the ledger that an idle gap becomes: the one place where the cause of a wait is decided
// (docs/ledger.md). In: the gap with its parts, and the final record of its task. Out: at most four entries:
// what Nagle's algorithm held, the path's part by the distance, its part beyond, and the awaited end's. Pure
// functions.
#pragma once

#include "analyzer/cycles/ledger/wait.h"

#include <array>

namespace iscsiscope {

struct WaitEntries {
    std::array<LedgerEntry, 4> entries;
    std::size_t count = 0;

    const LedgerEntry *begin() const { return entries.data(); }
    const LedgerEntry *end() const { return entries.data() + count; }
};

// What lasted beside a wait.
enum class WaitBeside : std::uint8_t {
    nothing,
    long_command, // of the task's LUN, which moves no data (LongCommands)
    outage,       // of the connection's path (OutageGaps)
};

// task: the final record of the task that the gap names; null: not known.
WaitEntries entries_of(const Wait &, const CycleRecord *task, WaitBeside);

} // namespace iscsiscope
