// SPDX-License-Identifier: GPL-2.0-or-later
// Follows the command numbers (CmdSN) of a session: the next one, the command window, and what was left out.
#pragma once

#include "analyzer/cycles/tasks/session_table.h"
#include "analyzer/iscsi/pdu/pdu.h"

#include <cstdint>

namespace iscsiscope {

// Takes a PDU of the initiator. CmdSN is checked only while the session has had one connection: with several,
// commands may pass the tap in an order other than that of their numbers. all_seen: the capture lacks no
// bytes of the connection that may have held commands. Returns how many numbers are left out before this one;
// 0: none.
std::int64_t follow_command_numbers(Session &, const Pdu &, bool all_seen);

// A PDU of the initiator may have passed unseen.
void forget_command_numbers(Session &);

} // namespace iscsiscope
