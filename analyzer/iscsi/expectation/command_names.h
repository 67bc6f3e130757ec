// SPDX-License-Identifier: GPL-2.0-or-later
// CommandNames: finds the task tags of SCSI Commands whose headers are not in the file, from the target's
// answers to tasks of which no command was seen. Commands and answers are paired in order: the oldest command
// that can have such an answer. A pair is a guess where several commands wait; what rests on it is marked
// inferred.
#pragma once

#include "analyzer/iscsi/expectation/ledger/ledger_state.h"

#include <optional>
#include <vector>

namespace iscsiscope {

class CommandNames {
public:
    // A command without a tag was delivered. Returns it with its tag if its answer came before it.
    std::optional<Pdu> command(const Pdu &, const LedgerState &);
    // An answer of which the tag is not in the file either: the oldest command without a tag gets one that
    // stands in for it, and so does the answer. Returns the command, if there is one that can have this
    // answer.
    std::optional<Pdu> pair(Pdu &answer, const LedgerState &);
    // A header of either direction, before the ledger notes it. Returns the command that it answers, if that
    // had no tag.
    std::optional<Pdu> answer(const Pdu &, const LedgerState &);

private:
    static bool fits(const Pdu &command, const Pdu &answer);
    static Pdu named(const Pdu &command, const Pdu &answer, const LedgerState &);

    std::uint32_t stand_ins_ = 0;
    std::vector<Pdu> commands_, answers_; // not paired, oldest first
};

} // namespace iscsiscope
