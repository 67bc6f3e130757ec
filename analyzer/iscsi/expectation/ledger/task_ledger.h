// SPDX-License-Identifier: GPL-2.0-or-later
// TaskLedger: keeps what is under way on one connection up to date. In: the headers of both directions, in
// the order in which they are delivered, and what was lost between them. Out: state(), from which follow the
// fields of a header that the file holds in part (completion.h), which PDU can come next (forecast.h), and
// what refutes a header (continuation.h, received.h). Copyable: each reading of a bridge has its own.
#pragma once

#include "analyzer/iscsi/expectation/ledger/ledger_state.h"

#include <cstdint>
#include <vector>

namespace iscsiscope {

class TaskLedger {
public:
    const LedgerState &state() const { return state_; }

    // Takes the header of a PDU, after complete().
    void note(const Pdu &);
    // The tag of a PDU that was noted without one has become known: of a command, or of the answer that ended
    // its task.
    void note_named(const Pdu &);
    // note() where commands without a tag are known before their answers: an answer to a tag that no task has
    // is that to the oldest command without one.
    void note_answer(const Pdu &);
    // Compares the numbers of a header with what the other direction has shown up to here (DeliveryOrder).
    // Not to be called while headers of the other direction are withheld.
    void note_order(const Pdu &pdu) { state_.order.compare(pdu, state_.statuses, state_.commands); }
    // The ledger begins with tasks under way.
    void begins_late() { state_.order.begins_late(); }
    // PDU boundaries of a direction were lost: what is under way may have gone on unseen.
    void lost(PduDirection);
    // PDUs of a direction were lost, and only these tasks can have gone on in them.
    void lost(PduDirection, const std::vector<std::uint32_t> &tasks);
    // PDUs to the initiator before this header, which is found, were lost: where the target answers commands
    // of a kind in order, answers to commands of the same kind that are younger than its own were not missed.
    void lost_before(const Pdu &);
    // The other ledger is in the same state: of each place in a stream takes the earlier one of both.
    void take_earlier(const TaskLedger &other) { state_.tasks.take_earlier(other.state_.tasks); }
    // By the login.
    void negotiated(const NegotiatedLengths &lengths) { state_.lengths.negotiated(lengths); }
    void set_withheld(Withheld by_the_other_direction) { state_.missed.set_withheld(by_the_other_direction); }

private:
    void note_tagless(const Pdu &);
    void note_of_task(const Pdu &);
    void note_command(TaskProgress &, const Pdu &);
    void note_data_in(TaskProgress &, const Pdu &);
    void note_data_out(TaskProgress &, const Pdu &);
    void note_response(const Pdu &);
    TaskProgress &answered(const Pdu &answer);

    LedgerState state_;
};

} // namespace iscsiscope
