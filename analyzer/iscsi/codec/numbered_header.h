// SPDX-License-Identifier: GPL-2.0-or-later
// NumberedHeaderView: adds the sequence numbers and acknowledgments (RFC 7143 section 4.2.2), which PDUs
// have, and which PDUs use one up.
#pragma once

#include "analyzer/iscsi/codec/basic_header.h"
#include "analyzer/iscsi/codec/serial.h"

namespace iscsiscope {

class NumberedHeaderView : public BasicHeaderView {
public:
    using BasicHeaderView::BasicHeaderView;

    // Commands (section 4.2.2.1): requests carry CmdSN, responses the window ExpCmdSN to MaxCmdSN.
    CmdSn cmd_sn() const { return CmdSn{u32(24)}; }
    bool has_cmd_sn() const {
        return is(mask_of(Opcode::nop_out) | mask_of(Opcode::scsi_command) |
                  mask_of(Opcode::task_management_request) | mask_of(Opcode::login_request) |
                  mask_of(Opcode::text_request) | mask_of(Opcode::logout_request));
    }
    // True if the PDU uses up a number of the command window.
    bool consumes_cmd_sn() const { return has_cmd_sn() && !immediate(); }
    CmdSn exp_cmd_sn() const { return CmdSn{u32(28)}; }
    bool has_exp_cmd_sn() const { return is_known(opcode()) && !is_request(opcode()); }
    CmdSn max_cmd_sn() const { return CmdSn{u32(32)}; }
    bool has_max_cmd_sn() const { return has_exp_cmd_sn(); }
    CmdSn ref_cmd_sn() const { return CmdSn{u32(32)}; } // Task Management Request

    // Statuses (section 4.2.2.2): responses carry StatSN, requests the next one expected.
    StatSn stat_sn() const { return StatSn{u32(24)}; }
    // Data-In has a StatSN only with S. R2T carries the next StatSN without using it up.
    bool has_stat_sn() const {
        return is_known(opcode()) && !is_request(opcode()) && (opcode() != Opcode::data_in || status_bit());
    }
    // True if the PDU advances StatSN. R2T and a NOP-In that answers no NOP-Out do not (RFC 7143
    // sections 11.8.3 and 11.19.2).
    bool consumes_stat_sn() const {
        return has_stat_sn() && opcode() != Opcode::r2t &&
               !(opcode() == Opcode::nop_in && initiator_task_tag() == InitiatorTaskTag::reserved);
    }
    // S of Data-In: the PDU has a status, and so a StatSN.
    bool status_bit() const { return (flags() & 0x01) != 0; }
    StatSn exp_stat_sn() const { return StatSn{u32(28)}; }
    bool has_exp_stat_sn() const { return is_known(opcode()) && is_request(opcode()); }

    // Data and R2Ts of a task (section 4.2.2.4).
    DataSn data_sn() const { return DataSn{u32(36)}; }
    bool has_data_sn() const { return is(mask_of(Opcode::data_in) | mask_of(Opcode::data_out)); }
    DataSn r2t_sn() const { return DataSn{u32(36)}; }
    bool has_r2t_sn() const { return opcode() == Opcode::r2t; }
    DataSn exp_data_sn() const { return DataSn{u32(36)}; } // SCSI Response, Task Management Request
};

} // namespace iscsiscope
