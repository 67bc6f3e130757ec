// SPDX-License-Identifier: GPL-2.0-or-later
// Logout, SNACK, asynchronous message, reject.
#include "analyzer/iscsi/codec/pdu/session_pdus.h"

#include "analyzer/iscsi/codec/header_builder.h"

#include <array>

namespace iscsiscope {

std::optional<LogoutRequest> LogoutRequest::parse(HeaderView h) {
    if (h.opcode() != Opcode::logout_request || !h.final() || h.total_ahs_length() != 0 ||
        h.data_segment_length() != 0 || h.function() > 2)
        return std::nullopt;
    LogoutRequest l;
    l.immediate = h.immediate();
    l.reason = static_cast<LogoutReason>(h.function());
    l.initiator_task_tag = h.initiator_task_tag();
    l.cid = h.cid();
    l.cmd_sn = h.cmd_sn();
    l.exp_stat_sn = h.exp_stat_sn();
    return l;
}

HeaderBytes LogoutRequest::encode() const {
    HeaderBuilder b(Opcode::logout_request, immediate);
    b.flag(0x80).flag(static_cast<std::uint8_t>(reason)).initiator_task_tag(initiator_task_tag);
    b.u16(20, cid).request_numbers(cmd_sn, exp_stat_sn);
    return b.bytes();
}

std::optional<LogoutResponse> LogoutResponse::parse(HeaderView h) {
    if (h.opcode() != Opcode::logout_response || !h.final() || h.total_ahs_length() != 0 ||
        h.data_segment_length() != 0)
        return std::nullopt;
    LogoutResponse l;
    l.response = h.response();
    l.initiator_task_tag = h.initiator_task_tag();
    l.stat_sn = h.stat_sn();
    l.exp_cmd_sn = h.exp_cmd_sn();
    l.max_cmd_sn = h.max_cmd_sn();
    l.time2wait = wire::load16(h.bytes().data() + 40);
    l.time2retain = wire::load16(h.bytes().data() + 42);
    return l;
}

HeaderBytes LogoutResponse::encode() const {
    HeaderBuilder b(Opcode::logout_response);
    b.flag(0x80).u8(2, response).initiator_task_tag(initiator_task_tag);
    b.response_numbers(stat_sn, exp_cmd_sn, max_cmd_sn).u16(40, time2wait).u16(42, time2retain);
    return b.bytes();
}

std::optional<SnackRequest> SnackRequest::parse(HeaderView h) {
    const std::uint8_t type = h.flags() & 0x0f;
    if (h.opcode() != Opcode::snack_request || !h.final() || h.total_ahs_length() != 0 ||
        h.data_segment_length() != 0 || type > 3)
        return std::nullopt;
    SnackRequest s;
    s.type = static_cast<SnackType>(type);
    s.lun = h.lun();
    s.initiator_task_tag = h.initiator_task_tag();
    s.target_transfer_tag = h.target_transfer_tag();
    s.exp_stat_sn = h.exp_stat_sn();
    s.begin_run = wire::load32(h.bytes().data() + 40);
    s.run_length = wire::load32(h.bytes().data() + 44);
    return s;
}

HeaderBytes SnackRequest::encode() const {
    HeaderBuilder b(Opcode::snack_request);
    b.flag(0x80).flag(static_cast<std::uint8_t>(type)).lun(lun).initiator_task_tag(initiator_task_tag);
    b.target_transfer_tag(target_transfer_tag).u32(28, exp_stat_sn.value);
    b.u32(40, begin_run).u32(44, run_length);
    return b.bytes();
}

std::optional<AsyncMessage> AsyncMessage::parse(HeaderView h) {
    const std::uint8_t event = wire::load8(h.bytes().data() + 36);
    if (h.opcode() != Opcode::async_message || !h.final() || h.total_ahs_length() != 0 ||
        (event > 5 && event != 255))
        return std::nullopt;
    AsyncMessage a;
    a.event = static_cast<AsyncEvent>(event);
    a.vendor_code = wire::load8(h.bytes().data() + 37);
    a.parameter1 = wire::load16(h.bytes().data() + 38);
    a.parameter2 = wire::load16(h.bytes().data() + 40);
    a.parameter3 = wire::load16(h.bytes().data() + 42);
    a.data_segment_length = h.data_segment_length();
    a.lun = h.lun();
    a.stat_sn = h.stat_sn();
    a.exp_cmd_sn = h.exp_cmd_sn();
    a.max_cmd_sn = h.max_cmd_sn();
    return a;
}

HeaderBytes AsyncMessage::encode() const {
    HeaderBuilder b(Opcode::async_message);
    b.flag(0x80).data_segment_length(data_segment_length).lun(lun);
    b.initiator_task_tag(InitiatorTaskTag::reserved).response_numbers(stat_sn, exp_cmd_sn, max_cmd_sn);
    b.u8(36, static_cast<std::uint8_t>(event)).u8(37, vendor_code);
    b.u16(38, parameter1).u16(40, parameter2).u16(42, parameter3);
    return b.bytes();
}

std::string_view reject_reason(std::uint8_t code) {
    static constexpr std::array<std::string_view, 13> reasons{"",
                                                              "reserved",
                                                              "data digest error",
                                                              "SNACK reject",
                                                              "protocol error",
                                                              "command not supported",
                                                              "immediate command reject",
                                                              "task in progress",
                                                              "invalid data ACK",
                                                              "invalid PDU field",
                                                              "long operation reject",
                                                              "negotiation reset",
                                                              "waiting for logout"};
    return code < reasons.size() ? reasons[code] : std::string_view{};
}

std::optional<Reject> Reject::parse(HeaderView h) {
    if (h.opcode() != Opcode::reject || !h.final() || h.total_ahs_length() != 0)
        return std::nullopt;
    Reject r;
    r.reason = h.response();
    r.data_segment_length = h.data_segment_length();
    r.stat_sn = h.stat_sn();
    r.exp_cmd_sn = h.exp_cmd_sn();
    r.max_cmd_sn = h.max_cmd_sn();
    r.data_sn = h.data_sn();
    return r;
}

HeaderBytes Reject::encode() const {
    HeaderBuilder b(Opcode::reject);
    b.flag(0x80).u8(2, reason).data_segment_length(data_segment_length);
    b.initiator_task_tag(InitiatorTaskTag::reserved).response_numbers(stat_sn, exp_cmd_sn, max_cmd_sn);
    b.u32(36, data_sn.value);
    return b.bytes();
}

} // namespace iscsiscope
