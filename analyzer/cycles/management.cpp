// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/management.h"

#include "analyzer/iscsi/codec/pdu/session_pdus.h"
#include "analyzer/iscsi/codec/pdu/task_management_pdus.h"

#include <algorithm>
#include <vector>

namespace iscsiscope {
namespace {

enum Response : std::uint8_t { function_complete = 0, task_does_not_exist = 1 }; // section 11.6.1
constexpr std::uint8_t reject_data_digest = 0x02;                                // section 11.17.1

bool limited_to_lun(TaskManagementFunction f) {
    return f == TaskManagementFunction::abort_task_set || f == TaskManagementFunction::clear_task_set ||
           f == TaskManagementFunction::logical_unit_reset;
}

std::optional<TaskOutcome> outcome_of(TaskManagementFunction f) {
    switch (f) {
    case TaskManagementFunction::abort_task:
    case TaskManagementFunction::abort_task_set:
    case TaskManagementFunction::clear_task_set:
        return TaskOutcome::aborted;
    case TaskManagementFunction::logical_unit_reset:
    case TaskManagementFunction::target_warm_reset:
    case TaskManagementFunction::target_cold_reset:
    case TaskManagementFunction::i_t_nexus_reset:
        return TaskOutcome::reset;
    default:
        return std::nullopt;
    }
}

} // namespace

void Management::on_pdu(CycleConnection &c, const Pdu &pdu) {
    const HeaderView v = pdu.view();
    EventRecord event;
    event.stream = c.tcp.stream;
    event.session = c.session->id;
    event.time = pdu.delivered;
    event.frame = pdu.delivered_frame;
    event.opcode = v.opcode();
    if (v.has_initiator_task_tag() && v.initiator_task_tag() != InitiatorTaskTag::reserved)
        event.itt = static_cast<std::uint32_t>(v.initiator_task_tag());
    switch (v.opcode()) {
    case Opcode::task_management_request:
        on_task_management_request(c, pdu, event);
        break;
    case Opcode::task_management_response:
        on_task_management_response(c, pdu, event);
        break;
    case Opcode::logout_request:
        event.code = v.function();
        c.logout.requested(static_cast<LogoutReason>(v.function()), v.cid());
        shared_.records.put(event);
        break;
    case Opcode::logout_response:
        event.code = v.response();
        shared_.records.put(event);
        on_logout_response(c, pdu);
        break;
    case Opcode::reject:
        on_reject(c, pdu, event);
        break;
    case Opcode::async_message:
        event.code = wire::load8(v.bytes().data() + 36); // AsyncEvent
        event.parameter2 = wire::load16(v.bytes().data() + 40);
        event.parameter3 = wire::load16(v.bytes().data() + 42);
        shared_.records.put(event);
        break;
    case Opcode::nop_out:
    case Opcode::nop_in:
        shared_.records.put(event);
        break;
    default:
        break;
    }
}

void Management::on_task_management_request(CycleConnection &c, const Pdu &pdu, EventRecord &event) {
    const HeaderView v = pdu.view();
    event.code = v.function();
    PendingManagement request;
    request.itt = static_cast<std::uint32_t>(v.initiator_task_tag());
    request.function = v.function();
    request.lun = static_cast<std::uint64_t>(v.lun());
    request.before_cycle = CycleId{shared_.tasks.cycles()};
    request.referenced_itt = static_cast<std::uint32_t>(v.referenced_task_tag());
    const auto f = static_cast<TaskManagementFunction>(v.function());
    if ((f == TaskManagementFunction::abort_task || f == TaskManagementFunction::task_reassign ||
         f == TaskManagementFunction::query_task) &&
        v.referenced_task_tag() != InitiatorTaskTag::reserved) {
        event.referenced_itt = request.referenced_itt;
        if (const TaskIndex i = shared_.tasks.find(c.session->id, request.referenced_itt); i != no_task)
            event.cycle = shared_.tasks[i].cycle;
    }
    std::vector<PendingManagement> &pending = c.session->management;
    std::erase_if(pending, [&](const PendingManagement &p) { return p.itt == request.itt; });
    if (pending.size() == max_pending)
        pending.erase(pending.begin());
    pending.push_back(request);
    shared_.records.put(event);
}

void Management::on_task_management_response(CycleConnection &c, const Pdu &pdu, EventRecord &event) {
    const HeaderView v = pdu.view();
    event.code = v.response();
    std::vector<PendingManagement> &pending = c.session->management;
    const auto found = std::find_if(pending.begin(), pending.end(), [&](const PendingManagement &p) {
        return p.itt == static_cast<std::uint32_t>(v.initiator_task_tag());
    });
    if (found == pending.end()) {
        shared_.records.put(event);
        return;
    }
    const PendingManagement request = *found;
    pending.erase(found);
    const auto f = static_cast<TaskManagementFunction>(request.function);
    if (f == TaskManagementFunction::abort_task || f == TaskManagementFunction::task_reassign) {
        event.referenced_itt = request.referenced_itt;
        if (const TaskIndex i = shared_.tasks.find(c.session->id, request.referenced_itt); i != no_task)
            event.cycle = shared_.tasks[i].cycle;
    }
    shared_.records.put(event);
    // The target does not know the task, and its status has not passed: no answer will come.
    if (v.response() == function_complete ||
        (v.response() == task_does_not_exist && f == TaskManagementFunction::abort_task))
        end_affected(c, request, pdu);
}

void Management::end_affected(CycleConnection &c, const PendingManagement &request, const Pdu &pdu) {
    const auto f = static_cast<TaskManagementFunction>(request.function);
    if (f == TaskManagementFunction::abort_task || f == TaskManagementFunction::task_reassign) {
        const TaskIndex i = shared_.tasks.find(c.session->id, request.referenced_itt);
        if (i == no_task || shared_.tasks[i].ended || shared_.tasks[i].cycle >= request.before_cycle)
            return;
        if (f == TaskManagementFunction::task_reassign) {
            if (shared_.tasks[i].owner != &c)
                tasks_.move_here(c, i);
            return;
        }
        tasks_.end(*shared_.tasks[i].owner, i, TaskOutcome::aborted, pdu.delivered, pdu.delivered_frame);
        return;
    }
    const std::optional<TaskOutcome> outcome = outcome_of(f);
    if (!outcome)
        return;
    for (CycleConnection *member : c.session->members) {
        for (TaskIndex i = member->open.first; i != no_task;) {
            const Task &task = shared_.tasks[i];
            const TaskIndex next = task.next;
            if (task.cycle < request.before_cycle && (!limited_to_lun(f) || task.lun == request.lun))
                tasks_.end(*member, i, *outcome, pdu.delivered, pdu.delivered_frame);
            i = next;
        }
    }
}

void Management::on_logout_response(CycleConnection &c, const Pdu &pdu) {
    if (pdu.view().response() != 0)
        return;
    const auto wanted = c.logout.succeeded();
    if (!wanted)
        return;
    if (wanted->reason != LogoutReason::close_session && wanted->reason != LogoutReason::close_connection)
        return; // removed for recovery: its tasks may be reassigned
    for (CycleConnection *member : c.session->members) {
        // Without a login the CID is unknown: then the Logout is taken to concern its own connection.
        const bool meant = wanted->reason == LogoutReason::close_session ||
                           (member->cid ? *member->cid == wanted->cid : member == &c);
        if (!meant)
            continue;
        member->logout.closed();
        tasks_.end_all(*member, TaskOutcome::logout, pdu.delivered, pdu.delivered_frame);
    }
    c.session->logged_out =
        std::all_of(c.session->members.begin(), c.session->members.end(),
                    [](const CycleConnection *member) { return member->logout.logged_out(); });
}

void Management::on_reject(CycleConnection &c, const Pdu &pdu, EventRecord &event) {
    event.code = pdu.view().response(); // the reason
    TaskIndex i = no_task;
    bool command = false;
    if (pdu.data.size() >= basic_header_size) {
        const HeaderView rejected(pdu.data.first<basic_header_size>());
        command = rejected.opcode() == Opcode::scsi_command;
        if (rejected.has_initiator_task_tag() &&
            rejected.initiator_task_tag() != InitiatorTaskTag::reserved) {
            event.referenced_itt = static_cast<std::uint32_t>(rejected.initiator_task_tag());
            i = shared_.tasks.find(c.session->id, *event.referenced_itt);
            if (i != no_task)
                event.cycle = shared_.tasks[i].cycle;
        }
    }
    shared_.records.put(event);
    if (i == no_task || shared_.tasks[i].ended || !command)
        return;
    // RFC 7143 section 11.17.1: a task that exists already is ended by a SCSI Response, which must follow; a
    // rejected command that never became a task ends here.
    shared_.tasks[i].rejected = true;
    if (event.code == reject_data_digest)
        return;
    tasks_.end(*shared_.tasks[i].owner, i, TaskOutcome::rejected, pdu.delivered, pdu.delivered_frame);
}

} // namespace iscsiscope
