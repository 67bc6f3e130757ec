// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/expectation/ledger/command_numbers.h"

namespace iscsiscope {

namespace hf = header_field;

void CommandNumbers::note(const Pdu &pdu) {
    const HeaderView h = pdu.view();
    const bool known = pdu.knows(hf::cmd_sn);
    if (h.consumes_cmd_sn()) {
        if (known) {
            const std::uint32_t number = h.cmd_sn().value;
            shared_ = shared_ || (sure_ && next_ && number != *next_);
            next_ = number + 1;
        }
        sure_ = known;
    }
    if (h.opcode() == Opcode::login_request && known) {
        next_ = h.cmd_sn().value; // the first command has it too (RFC 7143 section 11.12.8)
        sure_ = true;
    }
    if (h.has_max_cmd_sn() && hf::max_cmd_sn.in(pdu.in_file))
        max_ = h.max_cmd_sn().value;
}

} // namespace iscsiscope
