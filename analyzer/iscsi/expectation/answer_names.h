// SPDX-License-Identifier: GPL-2.0-or-later
// AnswerNames: finds the task tags of answers that end a task and of which the file does not hold the tag. An
// answer can be that of any task that was open and could have such an answer. What comes later takes tasks
// away: those that the target goes on to answer have not ended before. As soon as the oldest answers can be
// only as many tasks as they are, they are these, in order. A task whose tag a new command uses has ended.
#pragma once

#include "analyzer/iscsi/expectation/ledger/ledger_state.h"

#include <vector>

namespace iscsiscope {

class AnswerNames {
public:
    // An answer without a tag was delivered.
    void answer(const Pdu &, const LedgerState &);
    // A header of either direction, before the ledger notes it. Returns the answers that now have a tag,
    // marked inferred, without data.
    std::vector<Pdu> header(const Pdu &);

private:
    struct Waiting {
        Pdu pdu;
        std::vector<std::uint32_t> tasks; // oldest first
    };
    void take_away(std::uint32_t itt);
    void name(std::size_t answer, std::uint32_t itt, std::vector<Pdu> &out);
    void name_oldest(std::vector<Pdu> &out);

    std::vector<Waiting> waiting_; // oldest first
};

} // namespace iscsiscope
