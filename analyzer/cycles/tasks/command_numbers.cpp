// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/tasks/command_numbers.h"

namespace iscsiscope {

std::int64_t follow_command_numbers(Session &session, const Pdu &pdu, bool all_seen) {
    const HeaderView v = pdu.view();
    if (!v.has_cmd_sn() || v.opcode() == Opcode::login_request)
        return 0;
    if (!pdu.knows(header_field::cmd_sn)) { // its number, and so what is left out, is not known
        session.left_out.forget();
        return 0;
    }
    std::int64_t left_out = 0;
    if (session.from_login && session.connections_so_far == 1 && session.next_cmd_sn &&
        distance(*session.next_cmd_sn, v.cmd_sn()) > 0) {
        left_out = distance(*session.next_cmd_sn, v.cmd_sn());
        if (v.consumes_cmd_sn() && all_seen)
            session.left_out.opened(*session.next_cmd_sn, v.cmd_sn());
    } else if (v.consumes_cmd_sn()) {
        session.left_out.sent_late(v.cmd_sn(), pdu.first_seen);
    }
    if (v.consumes_cmd_sn() && (!session.next_cmd_sn || *session.next_cmd_sn <= v.cmd_sn()))
        session.next_cmd_sn = v.cmd_sn() + 1;
    session.window.sent(v);
    return left_out;
}

void forget_command_numbers(Session &session) {
    session.next_cmd_sn.reset();
    session.left_out.forget();
}

} // namespace iscsiscope
