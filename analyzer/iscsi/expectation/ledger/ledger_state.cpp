// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/expectation/ledger/ledger_state.h"

#include <algorithm>

namespace iscsiscope {

bool may_owe_data(const LedgerState &state) {
    const auto may_owe = [](const TaskProgress &t) {
        return t.writes && !t.sure && t.doubtful && (!t.expected || t.out_bytes < *t.expected);
    };
    const auto &tasks = state.tasks.all();
    return state.missed.withheld().r2ts || std::any_of(tasks.begin(), tasks.end(), may_owe);
}

bool same_state(const LedgerState &a, const LedgerState &b, PduDirection direction) {
    const auto same_task = [direction](const TaskProgress &x, const TaskProgress &y) {
        return same_state(x, y) || (direction == PduDirection::to_target && x.tagless && y.tagless);
    };
    const auto &tasks = a.tasks.all(), &others = b.tasks.all();
    return a.statuses.behind_last() == b.statuses.behind_last() &&
           a.commands.behind_last() == b.commands.behind_last() &&
           a.ping.unanswered() == b.ping.unanswered() && a.sequences.receiving() == b.sequences.receiving() &&
           a.sequences.sending() == b.sequences.sending() &&
           std::equal(tasks.begin(), tasks.end(), others.begin(), others.end(), same_task);
}

} // namespace iscsiscope
