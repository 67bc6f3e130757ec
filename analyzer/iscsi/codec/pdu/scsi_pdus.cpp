// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/codec/pdu/scsi_pdus.h"

#include "analyzer/iscsi/codec/header_builder.h"

#include <algorithm>

namespace iscsiscope {

std::optional<ScsiCommand> ScsiCommand::parse(HeaderView h) {
    const std::uint8_t attribute = h.flags() & 0x07;
    if (h.opcode() != Opcode::scsi_command || h.initiator_task_tag() == InitiatorTaskTag::reserved)
        return std::nullopt;
    if (attribute > static_cast<std::uint8_t>(TaskAttribute::aca))
        return std::nullopt;
    // RFC 7143 section 11.3.1: unsolicited data only follows a write; a transfer length requires a direction.
    if (!h.final() && !h.write_bit())
        return std::nullopt;
    if (h.expected_data_transfer_length() != 0 && !h.write_bit() && !h.read_bit())
        return std::nullopt;
    if (h.data_segment_length() != 0 && !h.write_bit())
        return std::nullopt;
    ScsiCommand c;
    c.immediate = h.immediate();
    c.final = h.final();
    c.read = h.read_bit();
    c.write = h.write_bit();
    c.attribute = static_cast<TaskAttribute>(attribute);
    c.ahs_length = h.total_ahs_length();
    c.data_segment_length = h.data_segment_length();
    c.lun = h.lun();
    c.initiator_task_tag = h.initiator_task_tag();
    c.expected_data_transfer_length = h.expected_data_transfer_length();
    c.cmd_sn = h.cmd_sn();
    c.exp_stat_sn = h.exp_stat_sn();
    std::ranges::copy(h.cdb(), c.cdb.begin());
    return c;
}

HeaderBytes ScsiCommand::encode() const {
    HeaderBuilder b(Opcode::scsi_command, immediate);
    b.flag(0x80, final).flag(0x40, read).flag(0x20, write).flag(static_cast<std::uint8_t>(attribute));
    b.u8(4, static_cast<std::uint8_t>(ahs_length / 4)).data_segment_length(data_segment_length);
    b.lun(lun).initiator_task_tag(initiator_task_tag).u32(20, expected_data_transfer_length);
    b.request_numbers(cmd_sn, exp_stat_sn);
    std::ranges::copy(cdb, b.bytes().begin() + 32);
    return b.bytes();
}

std::optional<ScsiResponse> ScsiResponse::parse(HeaderView h) {
    if (h.opcode() != Opcode::scsi_response || !h.final() || h.total_ahs_length() != 0 ||
        h.initiator_task_tag() == InitiatorTaskTag::reserved)
        return std::nullopt;
    const std::uint8_t f = h.flags();
    // Section 11.4.1: each pair of O and U bits is exclusive.
    if ((f & 0x06) == 0x06 || (f & 0x18) == 0x18)
        return std::nullopt;
    ScsiResponse r;
    r.bidirectional_overflow = (f & 0x10) != 0;
    r.bidirectional_underflow = (f & 0x08) != 0;
    r.overflow = h.overflow_bit();
    r.underflow = h.underflow_bit();
    r.response = h.response();
    r.status = h.status();
    r.data_segment_length = h.data_segment_length();
    r.initiator_task_tag = h.initiator_task_tag();
    r.snack_tag = static_cast<std::uint32_t>(h.target_transfer_tag());
    r.stat_sn = h.stat_sn();
    r.exp_cmd_sn = h.exp_cmd_sn();
    r.max_cmd_sn = h.max_cmd_sn();
    r.exp_data_sn = h.exp_data_sn();
    r.bidirectional_residual_count = h.bidirectional_residual_count();
    r.residual_count = h.residual_count();
    return r;
}

HeaderBytes ScsiResponse::encode() const {
    HeaderBuilder b(Opcode::scsi_response);
    b.flag(0x80).flag(0x10, bidirectional_overflow).flag(0x08, bidirectional_underflow);
    b.flag(0x04, overflow).flag(0x02, underflow);
    b.u8(2, response).u8(3, status).data_segment_length(data_segment_length);
    b.initiator_task_tag(initiator_task_tag).u32(20, snack_tag);
    b.response_numbers(stat_sn, exp_cmd_sn, max_cmd_sn);
    b.u32(36, exp_data_sn.value).u32(40, bidirectional_residual_count).u32(44, residual_count);
    return b.bytes();
}

} // namespace iscsiscope
