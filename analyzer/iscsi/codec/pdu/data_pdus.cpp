// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/codec/pdu/data_pdus.h"

#include "analyzer/iscsi/codec/header_builder.h"

namespace iscsiscope {

std::optional<DataOut> DataOut::parse(HeaderView h) {
    if (h.opcode() != Opcode::data_out || h.total_ahs_length() != 0 ||
        h.initiator_task_tag() == InitiatorTaskTag::reserved)
        return std::nullopt;
    DataOut d;
    d.final = h.final();
    d.data_segment_length = h.data_segment_length();
    d.lun = h.lun();
    d.initiator_task_tag = h.initiator_task_tag();
    d.target_transfer_tag = h.target_transfer_tag();
    d.exp_stat_sn = h.exp_stat_sn();
    d.data_sn = h.data_sn();
    d.buffer_offset = h.buffer_offset();
    return d;
}

HeaderBytes DataOut::encode() const {
    HeaderBuilder b(Opcode::data_out);
    b.flag(0x80, final).data_segment_length(data_segment_length).lun(lun);
    b.initiator_task_tag(initiator_task_tag).target_transfer_tag(target_transfer_tag);
    b.u32(28, exp_stat_sn.value).u32(36, data_sn.value).u32(40, buffer_offset);
    return b.bytes();
}

std::optional<DataIn> DataIn::parse(HeaderView h) {
    if (h.opcode() != Opcode::data_in || h.total_ahs_length() != 0 ||
        h.initiator_task_tag() == InitiatorTaskTag::reserved)
        return std::nullopt;
    // Section 11.7.3: status only with the last PDU, residuals only with status; O and U exclude each other.
    const bool residual = h.overflow_bit() || h.underflow_bit();
    if ((h.status_bit() && !h.final()) || (residual && !h.status_bit()) ||
        (h.overflow_bit() && h.underflow_bit()))
        return std::nullopt;
    DataIn d;
    d.final = h.final();
    d.acknowledge = h.acknowledge_bit();
    d.overflow = h.overflow_bit();
    d.underflow = h.underflow_bit();
    d.has_status = h.status_bit();
    d.status = h.status();
    d.data_segment_length = h.data_segment_length();
    d.lun = h.lun();
    d.initiator_task_tag = h.initiator_task_tag();
    d.target_transfer_tag = h.target_transfer_tag();
    d.stat_sn = h.stat_sn();
    d.exp_cmd_sn = h.exp_cmd_sn();
    d.max_cmd_sn = h.max_cmd_sn();
    d.data_sn = h.data_sn();
    d.buffer_offset = h.buffer_offset();
    d.residual_count = h.residual_count();
    return d;
}

HeaderBytes DataIn::encode() const {
    HeaderBuilder b(Opcode::data_in);
    b.flag(0x80, final).flag(0x40, acknowledge).flag(0x04, overflow).flag(0x02, underflow);
    b.flag(0x01, has_status).u8(3, status).data_segment_length(data_segment_length).lun(lun);
    b.initiator_task_tag(initiator_task_tag).target_transfer_tag(target_transfer_tag);
    b.response_numbers(stat_sn, exp_cmd_sn, max_cmd_sn);
    b.u32(36, data_sn.value).u32(40, buffer_offset).u32(44, residual_count);
    return b.bytes();
}

std::optional<R2t> R2t::parse(HeaderView h) {
    if (h.opcode() != Opcode::r2t || !h.final() || h.total_ahs_length() != 0 ||
        h.data_segment_length() != 0 || h.initiator_task_tag() == InitiatorTaskTag::reserved)
        return std::nullopt;
    // Sections 11.8.4 and 11.8.5.
    if (h.target_transfer_tag() == TargetTransferTag::reserved || h.desired_data_transfer_length() == 0)
        return std::nullopt;
    R2t r;
    r.lun = h.lun();
    r.initiator_task_tag = h.initiator_task_tag();
    r.target_transfer_tag = h.target_transfer_tag();
    r.stat_sn = h.stat_sn();
    r.exp_cmd_sn = h.exp_cmd_sn();
    r.max_cmd_sn = h.max_cmd_sn();
    r.r2t_sn = h.r2t_sn();
    r.buffer_offset = h.buffer_offset();
    r.desired_data_transfer_length = h.desired_data_transfer_length();
    return r;
}

HeaderBytes R2t::encode() const {
    HeaderBuilder b(Opcode::r2t);
    b.flag(0x80).lun(lun).initiator_task_tag(initiator_task_tag).target_transfer_tag(target_transfer_tag);
    b.response_numbers(stat_sn, exp_cmd_sn, max_cmd_sn);
    b.u32(36, r2t_sn.value).u32(40, buffer_offset).u32(44, desired_data_transfer_length);
    return b.bytes();
}

} // namespace iscsiscope
