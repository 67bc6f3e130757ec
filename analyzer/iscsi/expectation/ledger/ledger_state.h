// SPDX-License-Identifier: GPL-2.0-or-later
// LedgerState: what is under way on one connection, and what its ends keep to: all that an expectation of the
// next headers rests on. TaskLedger writes it; who expects, refutes or completes a header reads it.
#pragma once

#include "analyzer/iscsi/expectation/ledger/command_numbers.h"
#include "analyzer/iscsi/expectation/ledger/data_lengths.h"
#include "analyzer/iscsi/expectation/ledger/data_sequences.h"
#include "analyzer/iscsi/expectation/ledger/delivery_order.h"
#include "analyzer/iscsi/expectation/ledger/initiator_habits.h"
#include "analyzer/iscsi/expectation/ledger/missed_commands.h"
#include "analyzer/iscsi/expectation/ledger/status_numbers.h"
#include "analyzer/iscsi/expectation/ledger/target_habits.h"
#include "analyzer/iscsi/expectation/ledger/target_ping.h"
#include "analyzer/iscsi/expectation/ledger/task_list.h"

#include <cstddef>

namespace iscsiscope {

struct LedgerState {
    TaskList tasks;
    TargetPing ping;
    DataLengths lengths;
    InitiatorHabits initiator;
    TargetHabits target;
    DataSequences sequences;
    StatusNumbers statuses;
    CommandNumbers commands;
    MissedCommands missed;
    DeliveryOrder order;

    // How many commands may wait for an answer of which nothing else is known.
    std::size_t unknown_commands() const { return missed.waiting(commands.unsure()); }
    // Whether an answer to a task that has not been seen, or whose tag is not known, may come.
    bool may_answer_unknown() const { return unknown_commands() > 0 || tasks.tagless_count() > 0; }
    // Whether there can be one more R2T without a tag: two for each command of which the tag is not known.
    bool may_ask_unknown() const { return missed.may_ask(tasks.tagless_count() + unknown_commands()); }
};

// Data that the target has asked for by an R2T that was not found may be under way.
bool may_owe_data(const LedgerState &);

// Returns whether the same can come next in a direction, as far as the numbers and tasks say so: what the
// ends keep to is not compared, nor is where a header ended (TaskProgress). The order of commands without a
// tag makes no difference to the PDUs to the target.
bool same_state(const LedgerState &, const LedgerState &, PduDirection);

} // namespace iscsiscope
