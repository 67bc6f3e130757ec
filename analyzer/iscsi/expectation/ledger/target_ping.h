// SPDX-License-Identifier: GPL-2.0-or-later
// TargetPing: a ping of the target (RFC 7143 section 11.19: a NOP-In with a TargetTransferTag). In: NOPs of
// both directions. Out: the ping that the initiator has not answered yet, if there is one.
#pragma once

#include "analyzer/iscsi/expectation/ledger/task_progress.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

class TargetPing {
public:
    void note(const Pdu &pdu) {
        const HeaderView h = pdu.view();
        if ((h.opcode() != Opcode::nop_in && h.opcode() != Opcode::nop_out) ||
            !pdu.knows(header_field::target_transfer_tag))
            return;
        const auto ttt = static_cast<std::uint32_t>(h.target_transfer_tag());
        if (ttt == reserved_ttt)
            return;
        unanswered_.reset();
        if (h.opcode() == Opcode::nop_in) {
            unanswered_ = ttt;
            asked_ = pdu.offset + basic_header_size;
        }
    }
    // The TargetTransferTag of the ping that has no answer yet.
    std::optional<std::uint32_t> unanswered() const { return unanswered_; }
    // Where its header ends in the target's stream.
    std::uint64_t asked() const { return asked_; }

private:
    std::optional<std::uint32_t> unanswered_;
    std::uint64_t asked_ = 0;
};

} // namespace iscsiscope
