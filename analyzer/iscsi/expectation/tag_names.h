// SPDX-License-Identifier: GPL-2.0-or-later
// TagNames: the PDUs of a connection whose task tags the file does not hold, until later headers show them.
// In: each header before the ledger notes it, and each PDU when it was delivered. Out: PDUs with their tags,
// commands by CommandNames and answers by AnswerNames. There is nothing but a null until the first PDU
// without a tag, or the first answer to a task of which no command was seen.
#pragma once

#include "analyzer/iscsi/expectation/answer_names.h"
#include "analyzer/iscsi/expectation/command_names.h"

#include <memory>

namespace iscsiscope {

class TagNames {
public:
    // Recovers task tags missing from this or earlier PDUs, by what this header shows. Calls `named` with
    // each PDU whose tag has become known; what that changes in the ledger's state counts for the next.
    template <class Named>
    void header(Pdu &pdu, const LedgerState &state, Named named) {
        if (!waiting_ && pdu.knows(header_field::initiator_task_tag) && !answers_unknown(pdu, state))
            return;
        if (const auto command = waiting().commands.pair(pdu, state))
            named(*command);
        if (const auto command = waiting().commands.answer(pdu, state))
            named(*command);
        for (const Pdu &answer : waiting().answers.header(pdu))
            named(answer);
    }

    // A PDU was delivered. Calls `named` if it is a command whose answer came before it.
    template <class Named>
    void delivered(const Pdu &pdu, const LedgerState &state, Named named) {
        if (pdu.knows(header_field::initiator_task_tag))
            return;
        if (pdu.view().opcode() == Opcode::scsi_command)
            if (const auto command = waiting().commands.command(pdu, state))
                named(*command);
        waiting().answers.answer(pdu, state);
    }

private:
    struct Waiting {
        CommandNames commands;
        AnswerNames answers;
    };

    // Whether it is an answer to a task of which no command was seen.
    static bool answers_unknown(const Pdu &pdu, const LedgerState &state) {
        const HeaderView h = pdu.view();
        if (h.opcode() != Opcode::data_in && h.opcode() != Opcode::r2t && h.opcode() != Opcode::scsi_response)
            return false;
        const TaskProgress *task = state.tasks.find(static_cast<std::uint32_t>(h.initiator_task_tag()));
        return task == nullptr || !task->has_command;
    }

    Waiting &waiting() {
        if (!waiting_)
            waiting_ = std::make_unique<Waiting>();
        return *waiting_;
    }

    std::unique_ptr<Waiting> waiting_;
};

} // namespace iscsiscope
