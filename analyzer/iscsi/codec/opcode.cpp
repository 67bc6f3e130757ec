// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/codec/opcode.h"

namespace iscsiscope {

std::string_view name(Opcode o) {
    switch (o) {
    case Opcode::nop_out:
        return "NOP-Out";
    case Opcode::scsi_command:
        return "SCSI Command";
    case Opcode::task_management_request:
        return "Task Management Request";
    case Opcode::login_request:
        return "Login Request";
    case Opcode::text_request:
        return "Text Request";
    case Opcode::data_out:
        return "Data-Out";
    case Opcode::logout_request:
        return "Logout Request";
    case Opcode::snack_request:
        return "SNACK Request";
    case Opcode::nop_in:
        return "NOP-In";
    case Opcode::scsi_response:
        return "SCSI Response";
    case Opcode::task_management_response:
        return "Task Management Response";
    case Opcode::login_response:
        return "Login Response";
    case Opcode::text_response:
        return "Text Response";
    case Opcode::data_in:
        return "Data-In";
    case Opcode::logout_response:
        return "Logout Response";
    case Opcode::r2t:
        return "R2T";
    case Opcode::async_message:
        return "Async Message";
    case Opcode::reject:
        return "Reject";
    }
    return "unknown";
}

} // namespace iscsiscope
