// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/codec/pdu/task_management_pdus.h"

#include "analyzer/iscsi/codec/header_builder.h"

namespace iscsiscope {

std::string_view name(TaskManagementFunction f) {
    switch (f) {
    case TaskManagementFunction::abort_task:
        return "ABORT TASK";
    case TaskManagementFunction::abort_task_set:
        return "ABORT TASK SET";
    case TaskManagementFunction::clear_aca:
        return "CLEAR ACA";
    case TaskManagementFunction::clear_task_set:
        return "CLEAR TASK SET";
    case TaskManagementFunction::logical_unit_reset:
        return "LOGICAL UNIT RESET";
    case TaskManagementFunction::target_warm_reset:
        return "TARGET WARM RESET";
    case TaskManagementFunction::target_cold_reset:
        return "TARGET COLD RESET";
    case TaskManagementFunction::task_reassign:
        return "TASK REASSIGN";
    case TaskManagementFunction::query_task:
        return "QUERY TASK";
    case TaskManagementFunction::query_task_set:
        return "QUERY TASK SET";
    case TaskManagementFunction::i_t_nexus_reset:
        return "I_T NEXUS RESET";
    case TaskManagementFunction::query_asynchronous_event:
        return "QUERY ASYNCHRONOUS EVENT";
    }
    return "unknown";
}

std::optional<TaskManagementRequest> TaskManagementRequest::parse(HeaderView h) {
    if (h.opcode() != Opcode::task_management_request || !h.final() || h.total_ahs_length() != 0 ||
        h.data_segment_length() != 0 || h.initiator_task_tag() == InitiatorTaskTag::reserved)
        return std::nullopt;
    if (h.function() < 1 || h.function() > 12)
        return std::nullopt;
    TaskManagementRequest t;
    t.immediate = h.immediate();
    t.function = static_cast<TaskManagementFunction>(h.function());
    t.lun = h.lun();
    t.initiator_task_tag = h.initiator_task_tag();
    t.referenced_task_tag = h.referenced_task_tag();
    t.cmd_sn = h.cmd_sn();
    t.exp_stat_sn = h.exp_stat_sn();
    t.ref_cmd_sn = h.ref_cmd_sn();
    t.exp_data_sn = h.exp_data_sn();
    return t;
}

HeaderBytes TaskManagementRequest::encode() const {
    HeaderBuilder b(Opcode::task_management_request, immediate);
    b.flag(0x80).flag(static_cast<std::uint8_t>(function)).lun(lun).initiator_task_tag(initiator_task_tag);
    b.u32(20, static_cast<std::uint32_t>(referenced_task_tag)).request_numbers(cmd_sn, exp_stat_sn);
    b.u32(32, ref_cmd_sn.value).u32(36, exp_data_sn.value);
    return b.bytes();
}

std::optional<TaskManagementResponse> TaskManagementResponse::parse(HeaderView h) {
    if (h.opcode() != Opcode::task_management_response || !h.final() || h.total_ahs_length() != 0 ||
        h.data_segment_length() != 0)
        return std::nullopt;
    TaskManagementResponse t;
    t.response = h.response();
    t.initiator_task_tag = h.initiator_task_tag();
    t.stat_sn = h.stat_sn();
    t.exp_cmd_sn = h.exp_cmd_sn();
    t.max_cmd_sn = h.max_cmd_sn();
    return t;
}

HeaderBytes TaskManagementResponse::encode() const {
    HeaderBuilder b(Opcode::task_management_response);
    b.flag(0x80).u8(2, response).initiator_task_tag(initiator_task_tag);
    b.response_numbers(stat_sn, exp_cmd_sn, max_cmd_sn);
    return b.bytes();
}

} // namespace iscsiscope
