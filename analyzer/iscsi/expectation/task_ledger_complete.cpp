// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/codec/wire.h"
#include "analyzer/iscsi/expectation/task_ledger.h"

#include <algorithm>

namespace iscsiscope {

namespace {

namespace hf = header_field;

void fill(Pdu &pdu, HeaderField f, std::uint32_t value) {
    if (f.in(pdu.in_file))
        return;
    wire::store32(pdu.header.data() + f.at, value);
    pdu.known |= f.mask();
}

} // namespace

// Residual counts (RFC 7143 section 11.4.5): zero without O and U; with U what the command expected and did
// not get.
void TaskLedger::complete_residual(Pdu &pdu, const Task &task, std::uint32_t moved) {
    const HeaderView h = pdu.view();
    if (!h.underflow_bit() && !h.overflow_bit())
        fill(pdu, hf::residual_count, 0);
    else if (h.underflow_bit() && task.sure && task.expected && *task.expected >= moved)
        fill(pdu, hf::residual_count, *task.expected - moved);
}

void TaskLedger::complete_data_in(Pdu &pdu, const Task &task) const {
    if (task.sure) { // DataPDUInOrder and DataSequenceInOrder, which all known targets keep
        fill(pdu, hf::data_sn, task.in_pdus);
        fill(pdu, hf::buffer_offset, task.in_bytes);
    }
    if (pdu.view().status_bit())
        complete_residual(pdu, task, task.in_bytes + pdu.data_length);
}

void TaskLedger::complete_r2t(Pdu &pdu, const Task &task) const {
    const bool asking = std::any_of(task.bursts.begin(), task.bursts.end(),
                                    [](const Burst &b) { return b.ttt != reserved_ttt && !b.length; });
    if (!task.sure || asking)
        return;
    fill(pdu, hf::data_sn, task.r2ts);
    fill(pdu, hf::buffer_offset, task.asked_to);
    if (negotiated_burst_ != 0 && task.expected && *task.expected > task.asked_to)
        fill(pdu, hf::desired_length, std::min(negotiated_burst_, *task.expected - task.asked_to));
}

void TaskLedger::complete_data_out(Pdu &pdu, const Task &task) {
    if (!pdu.knows(hf::target_transfer_tag))
        return;
    const auto ttt = static_cast<std::uint32_t>(pdu.view().target_transfer_tag());
    const auto b = std::find_if(task.bursts.begin(), task.bursts.end(),
                                [ttt](const Burst &burst) { return burst.ttt == ttt; });
    if (b == task.bursts.end() || !task.sure)
        return;
    fill(pdu, hf::data_sn, b->next_data_sn);
    fill(pdu, hf::buffer_offset, b->offset + b->sent);
}

void TaskLedger::complete(Pdu &pdu) const {
    if (pdu.known == whole_header)
        return;
    const HeaderView h = pdu.view();
    if (h.consumes_stat_sn() && sure_of_statuses_ && next_status_)
        fill(pdu, hf::stat_sn, *next_status_);
    if (h.consumes_cmd_sn() && sure_of_commands_ && next_command_ && !shares_numbers_)
        fill(pdu, hf::cmd_sn, *next_command_);
    if (!pdu.knows(hf::initiator_task_tag))
        return;
    const Task *task = find(static_cast<std::uint32_t>(h.initiator_task_tag()));
    if (task == nullptr)
        return;
    switch (h.opcode()) {
    case Opcode::data_in:
        complete_data_in(pdu, *task);
        break;
    case Opcode::r2t:
        complete_r2t(pdu, *task);
        break;
    case Opcode::data_out:
        complete_data_out(pdu, *task);
        break;
    case Opcode::scsi_response:
        complete_residual(pdu, *task, task->reads ? task->in_bytes : task->out_bytes);
        break;
    default:
        break;
    }
}

} // namespace iscsiscope
