// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/sessions/conformance/request_rules.h"

#include "analyzer/iscsi/codec/pdu/session_pdus.h"
#include "analyzer/iscsi/codec/pdu/task_management_pdus.h"

#include <algorithm>

namespace iscsiscope {
namespace {

using Function = TaskManagementFunction;

bool known_function(std::uint8_t f) {
    return f >= 1 && f <= 12; // RFC 7143 section 11.5.1, RFC 7144 section 6
}

bool names_task(Function f) {
    return f == Function::abort_task || f == Function::task_reassign || f == Function::query_task;
}

bool known_management_response(std::uint8_t r) {
    return r <= 7 || r == 255; // RFC 7143 section 11.6.1, RFC 7144 section 6
}

bool known_event(std::uint8_t e) {
    return e <= 5 || e >= 248; // RFC 7143 section 11.9.1: from 248 on for vendors; 5 is RFC 7144's
}

bool known_reason(std::uint8_t r) {
    return r >= 2 && r <= 0x0c; // RFC 7143 section 11.17.1
}

// True if the Logout Request is to close the connection on which it is sent.
bool closes(const MemberOccasion &o) {
    const auto reason = static_cast<LogoutReason>(o.view.function());
    return reason == LogoutReason::close_session || (reason == LogoutReason::close_connection &&
                                                     o.member.login && o.member.login->cid == o.view.cid());
}

} // namespace

std::optional<OpenTags::Entry> RequestRules::answered(Rule rule, OpenTags &open, std::uint32_t tag,
                                                      const MemberOccasion &o) {
    const auto request = open.take(tag);
    if (request)
        counts_.kept(rule);
    else if (o.state.from_login && !open.left_out())
        o.state.suspicions.add(rule, o);
    return request;
}

// RFC 7143 section 11.18: a valid Initiator Task Tag asks for an answer, a valid Target Transfer Tag is one.
void RequestRules::nop_out(const MemberOccasion &o) {
    if (o.view.initiator_task_tag() == InitiatorTaskTag::reserved)
        counts_.test(Rule::nop_out_immediate, !o.view.immediate(), o);
    else
        o.state.pings.add(o.itt(), o.pdu.data_length);
    if (o.view.target_transfer_tag() != TargetTransferTag::reserved)
        answered(Rule::nop_out_answer, o.state.target_pings, o.ttt(), o);
}

void RequestRules::management(const MemberOccasion &o) {
    counts_.test(Rule::management_function, !known_function(o.view.function()), o);
    o.state.functions.add(o.itt());
    o.state.tasks_known = false; // it may end tasks
    if (!known_function(o.view.function()))
        return;
    const auto function = static_cast<Function>(o.view.function());
    const bool names = o.view.referenced_task_tag() != InitiatorTaskTag::reserved;
    counts_.test(Rule::management_tag, names != names_task(function), o);
    if (function != Function::abort_task || !o.alone())
        return;
    const auto tag = static_cast<std::uint32_t>(o.view.referenced_task_tag());
    if (const FollowedTask *task = o.state.tasks.find_open(tag))
        counts_.test(Rule::management_ref_cmd_sn, o.view.ref_cmd_sn().value != task->cmd_sn, o,
                     {o.view.ref_cmd_sn().value, task->cmd_sn});
}

void RequestRules::request(const MemberOccasion &o) {
    const Opcode opcode = o.view.opcode();
    if (opcode != Opcode::snack_request && opcode != Opcode::nop_out)
        counts_.test(Rule::request_after_logout, o.state.logout_sent, o);
    switch (opcode) {
    case Opcode::nop_out:
        nop_out(o);
        break;
    case Opcode::task_management_request:
        management(o);
        break;
    case Opcode::text_request:
        counts_.test(Rule::continue_bit, o.view.continue_bit() && o.view.final(), o);
        o.state.texts.add(o.itt());
        break;
    case Opcode::logout_request:
        counts_.test(Rule::logout_codes, o.view.function() > 2, o);
        o.state.logouts.add(o.itt());
        o.state.logout_sent = o.state.logout_sent || closes(o);
        break;
    case Opcode::snack_request:
        if (o.no_recovery)
            counts_.broken(Rule::snack_level, o);
        else
            counts_.kept(Rule::snack_level);
        break;
    default:
        break;
    }
}

void RequestRules::nop_in(const MemberOccasion &o) {
    const bool answers = o.view.initiator_task_tag() != InitiatorTaskTag::reserved;
    const bool asks = o.view.target_transfer_tag() != TargetTransferTag::reserved;
    if (asks)
        o.state.target_pings.add(o.ttt());
    if (!answers)
        return;
    counts_.test(Rule::nop_in_tags, asks, o);
    const auto ping = answered(Rule::nop_in_answer, o.state.pings, o.itt(), o);
    const auto *k = o.keys({Parameter::max_recv_initiator});
    if (!ping || k == nullptr)
        return;
    const std::uint32_t due = std::min(ping->data_length, k->max_recv_data_segment_length_initiator);
    counts_.test(Rule::ping_data, o.pdu.data_length != due, o, {o.pdu.data_length, due});
}

void RequestRules::answer(const MemberOccasion &o) {
    switch (o.view.opcode()) {
    case Opcode::nop_in:
        nop_in(o);
        break;
    case Opcode::task_management_response:
        counts_.test(Rule::management_response, !known_management_response(o.view.response()), o);
        answered(Rule::management_answer, o.state.functions, o.itt(), o);
        break;
    case Opcode::text_response:
        counts_.test(Rule::continue_bit, o.view.continue_bit() && o.view.final(), o);
        answered(Rule::text_answer, o.state.texts, o.itt(), o);
        break;
    case Opcode::logout_response:
        counts_.test(Rule::logout_codes, o.view.response() > 3, o);
        o.state.logout_sent = o.state.logout_sent && o.view.response() == 0;
        answered(Rule::logout_answer, o.state.logouts, o.itt(), o);
        break;
    case Opcode::reject:
        o.state.tasks_known = false; // it may end a command
        counts_.test(Rule::reject_reason, !known_reason(o.view.response()), o, {o.view.response(), 0});
        counts_.test(Rule::reject_header, o.pdu.data_length < basic_header_size, o,
                     {o.pdu.data_length, basic_header_size});
        break;
    case Opcode::async_message:
        o.state.tasks_known = false; // it may end tasks
        counts_.test(Rule::async_event, !known_event(wire::load8(o.view.bytes().data() + 36)), o);
        break;
    default:
        break;
    }
}

} // namespace iscsiscope
