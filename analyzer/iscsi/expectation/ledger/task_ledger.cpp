// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/expectation/ledger/task_ledger.h"

namespace iscsiscope {

namespace {

namespace hf = header_field;

std::uint32_t itt_of(const Pdu &pdu) {
    return static_cast<std::uint32_t>(pdu.view().initiator_task_tag());
}

// Whether the tag of a task is known.
bool has_task(const Pdu &pdu) {
    return pdu.knows(hf::initiator_task_tag) && pdu.view().initiator_task_tag() != InitiatorTaskTag::reserved;
}

} // namespace

void TaskLedger::note(const Pdu &pdu) {
    const HeaderView h = pdu.view();
    state_.statuses.note(pdu);
    if (h.consumes_cmd_sn() && pdu.knows(hf::cmd_sn))
        state_.missed.note_number(state_.commands.missed_before(h.cmd_sn().value));
    state_.commands.note(pdu);
    if (pdu.direction == PduDirection::to_target)
        state_.initiator.note(pdu);
    state_.ping.note(pdu);
    if (!pdu.knows(hf::initiator_task_tag))
        note_tagless(pdu);
    else if (has_task(pdu))
        note_of_task(pdu);
}

// A header of which the tag is not in the file and does not follow.
void TaskLedger::note_tagless(const Pdu &pdu) {
    const HeaderView h = pdu.view();
    if (h.opcode() == Opcode::r2t)
        state_.missed.asked();
    if (h.opcode() == Opcode::scsi_command)
        note_command(state_.tasks.open_tagless(), pdu);
    if (h.has_status() && !state_.tasks.close_tagless())
        state_.missed.answered();
}

void TaskLedger::note_of_task(const Pdu &pdu) {
    const HeaderView h = pdu.view();
    const std::uint32_t itt = itt_of(pdu);
    switch (h.opcode()) {
    case Opcode::scsi_command:
        note_command(state_.tasks.open(itt), pdu);
        return;
    case Opcode::data_in:
        note_data_in(answered(pdu), pdu);
        if (h.status_bit())
            state_.tasks.close(itt);
        return;
    case Opcode::data_out: {
        TaskProgress *task = state_.tasks.find(itt);
        if (task == nullptr && pdu.inferred)
            return; // its task was over when it was found
        if (task == nullptr)
            (task = &state_.tasks.open(itt))->writes = true;
        note_data_out(*task, pdu);
        return;
    }
    case Opcode::r2t:
        state_.tasks.note_r2t(answered(pdu), pdu);
        return;
    case Opcode::scsi_response:
        note_response(pdu);
        return;
    default:
        return;
    }
}

// The task that a Data-In or an R2T answers. If it is not open, its command was not found: it begins here.
TaskProgress &TaskLedger::answered(const Pdu &answer) {
    if (TaskProgress *task = state_.tasks.find(itt_of(answer)))
        return *task;
    state_.missed.found();
    TaskProgress &task = state_.tasks.open(itt_of(answer));
    (answer.view().opcode() == Opcode::r2t ? task.writes : task.reads) = true;
    return task;
}

void TaskLedger::note_command(TaskProgress &task, const Pdu &pdu) {
    state_.tasks.note_command(task, pdu);
    state_.initiator.note_command(task, pdu);
}

void TaskLedger::note_data_in(TaskProgress &task, const Pdu &pdu) {
    const HeaderView h = pdu.view();
    if (task.in_pdus == 0 && !pdu.inferred)
        state_.target.note_order(task, state_.tasks);
    const std::uint32_t sequence = task.note_data_in(pdu);
    state_.lengths.note_data_in(task, sequence, pdu);
    state_.sequences.note_data_in(task, pdu, state_.tasks);
    const bool all = task.expected && !task.more_data_in();
    if (!pdu.inferred && h.final() && (h.status_bit() || all))
        state_.target.note_status_place(h.status_bit());
}

void TaskLedger::note_data_out(TaskProgress &task, const Pdu &pdu) {
    task.out_bytes += pdu.data_length;
    task.data_out = pdu.end_offset;
    state_.lengths.note_data_out(pdu);
    state_.sequences.note_data_out(task, pdu);
    DataBurst *burst = state_.tasks.burst_of(task, pdu);
    if (burst == nullptr)
        return;
    if (!pdu.inferred && burst->sent == 0)
        state_.initiator.note_burst_order(*burst, state_.tasks);
    task.note_burst_data(*burst, pdu);
}

void TaskLedger::note_response(const Pdu &pdu) {
    const TaskProgress *task = state_.tasks.find(itt_of(pdu));
    if (task == nullptr) {
        state_.missed.found();
        return;
    }
    if (task->unanswered() && !pdu.inferred)
        state_.target.note_order(*task, state_.tasks);
    if (task->reads && !task->writes && pdu.view().status() == 0 && task->in_bytes > 0 && !pdu.inferred)
        state_.target.note_status_place(false);
    state_.tasks.close(itt_of(pdu));
}

void TaskLedger::note_answer(const Pdu &pdu) {
    const Opcode opcode = pdu.view().opcode();
    if ((opcode == Opcode::r2t || opcode == Opcode::data_in || opcode == Opcode::scsi_response) &&
        hf::initiator_task_tag.in(pdu.in_file))
        state_.tasks.give_tag(itt_of(pdu));
    note(pdu);
}

void TaskLedger::note_named(const Pdu &pdu) {
    const std::uint32_t itt = itt_of(pdu);
    if (pdu.direction == PduDirection::to_initiator) {
        state_.tasks.close(itt);
        return;
    }
    state_.missed.named();
    if (TaskProgress *answered = state_.tasks.find(itt); answered != nullptr && !answered->has_command) {
        TaskProgress command;
        note_command(command, pdu);
        answered->take_command(command);
        state_.tasks.close_tagless();
        return;
    }
    if (state_.tasks.find(itt) != nullptr)
        return; // its command has this tag already
    state_.tasks.give_tag(itt);
    if (TaskProgress *task = state_.tasks.find(itt)) {
        *task = {};
        task->itt = itt;
        note_command(*task, pdu);
    } else {
        note_command(state_.tasks.open(itt), pdu);
    }
}

void TaskLedger::lost(PduDirection direction, const std::vector<std::uint32_t> &tasks) {
    if (direction == PduDirection::to_target)
        state_.commands.lost();
    else
        state_.statuses.lost();
    for (const std::uint32_t itt : tasks)
        state_.tasks.doubt(itt, direction == PduDirection::to_initiator);
}

void TaskLedger::lost(PduDirection direction) {
    lost(direction, state_.tasks.tags());
}

void TaskLedger::lost_before(const Pdu &found) {
    const TaskProgress *task = has_task(found) ? state_.tasks.find(itt_of(found)) : nullptr;
    if (task == nullptr || state_.sequences.interleaved() || !state_.target.answers_in_order()) {
        lost(PduDirection::to_initiator);
        return;
    }
    state_.statuses.lost();
    state_.tasks.doubt_before(*task);
}

} // namespace iscsiscope
