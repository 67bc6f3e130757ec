// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/codec/pdu/nop_pdus.h"

#include "analyzer/iscsi/codec/header_builder.h"

namespace iscsiscope {

std::optional<NopOut> NopOut::parse(HeaderView h) {
    if (h.opcode() != Opcode::nop_out || !h.final() || h.total_ahs_length() != 0)
        return std::nullopt;
    // RFC 7143 section 11.18: a NOP-Out without a task tag uses no CmdSN, so it must be immediate.
    if (h.initiator_task_tag() == InitiatorTaskTag::reserved && !h.immediate())
        return std::nullopt;
    NopOut n;
    n.immediate = h.immediate();
    n.data_segment_length = h.data_segment_length();
    n.lun = h.lun();
    n.initiator_task_tag = h.initiator_task_tag();
    n.target_transfer_tag = h.target_transfer_tag();
    n.cmd_sn = h.cmd_sn();
    n.exp_stat_sn = h.exp_stat_sn();
    return n;
}

HeaderBytes NopOut::encode() const {
    HeaderBuilder b(Opcode::nop_out, immediate);
    b.flag(0x80).data_segment_length(data_segment_length).lun(lun);
    b.initiator_task_tag(initiator_task_tag).target_transfer_tag(target_transfer_tag);
    b.request_numbers(cmd_sn, exp_stat_sn);
    return b.bytes();
}

std::optional<NopIn> NopIn::parse(HeaderView h) {
    if (h.opcode() != Opcode::nop_in || !h.final() || h.total_ahs_length() != 0)
        return std::nullopt;
    NopIn n;
    n.data_segment_length = h.data_segment_length();
    n.lun = h.lun();
    n.initiator_task_tag = h.initiator_task_tag();
    n.target_transfer_tag = h.target_transfer_tag();
    n.stat_sn = h.stat_sn();
    n.exp_cmd_sn = h.exp_cmd_sn();
    n.max_cmd_sn = h.max_cmd_sn();
    return n;
}

HeaderBytes NopIn::encode() const {
    HeaderBuilder b(Opcode::nop_in);
    b.flag(0x80).data_segment_length(data_segment_length).lun(lun);
    b.initiator_task_tag(initiator_task_tag).target_transfer_tag(target_transfer_tag);
    b.response_numbers(stat_sn, exp_cmd_sn, max_cmd_sn);
    return b.bytes();
}

} // namespace iscsiscope
