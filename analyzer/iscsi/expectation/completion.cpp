// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/expectation/completion.h"

#include "analyzer/iscsi/codec/wire.h"
#include "analyzer/iscsi/expectation/forecast.h"
#include "analyzer/tcp/stream/connection.h"

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

// Residual counts (RFC 7143 section 11.4.5): zero without O and U; with U what the command expected and did
// not get.
void complete_residual(Pdu &pdu, const TaskProgress &task, std::uint32_t moved) {
    const HeaderView h = pdu.view();
    if (!h.underflow_bit() && !h.overflow_bit())
        fill(pdu, hf::residual_count, 0);
    else if (h.underflow_bit() && task.sure && task.expected && *task.expected >= moved)
        fill(pdu, hf::residual_count, *task.expected - moved);
}

void complete_data_in(Pdu &pdu, const TaskProgress &task) {
    if (task.sure) { // DataPDUInOrder and DataSequenceInOrder, which all known targets keep
        fill(pdu, hf::data_sn, task.in_pdus);
        fill(pdu, hf::buffer_offset, task.in_bytes);
    }
    if (pdu.view().status_bit())
        complete_residual(pdu, task, task.in_bytes + pdu.data_length);
}

void complete_r2t(Pdu &pdu, const TaskProgress &task, std::uint32_t max_burst) {
    if (!task.sure || task.asks_unknown_length())
        return;
    fill(pdu, hf::data_sn, task.r2ts);
    fill(pdu, hf::buffer_offset, task.asked_to);
    if (max_burst != 0 && task.expected && *task.expected > task.asked_to)
        fill(pdu, hf::desired_length, std::min(max_burst, *task.expected - task.asked_to));
}

void complete_data_out(Pdu &pdu, const TaskProgress &task) {
    if (!pdu.knows(hf::target_transfer_tag))
        return;
    const auto ttt = static_cast<std::uint32_t>(pdu.view().target_transfer_tag());
    const auto b = std::find_if(task.bursts.begin(), task.bursts.end(),
                                [ttt](const DataBurst &burst) { return burst.ttt == ttt; });
    if (b == task.bursts.end() || !task.sure)
        return;
    fill(pdu, hf::data_sn, b->next_data_sn);
    fill(pdu, hf::buffer_offset, b->offset + b->sent);
}

// Takes the header of the only PDU that can come, or, where the target answers in order, of the likeliest
// one.
void complete_tag(const LedgerState &state, Pdu &pdu) {
    std::vector<PredictedHeader> can;
    forecast(state, pdu.direction, unknown_offset, can);
    std::erase_if(can, [&](const PredictedHeader &p) { return !p.agrees(pdu); });
    if (can.empty() || (can.size() > 1 && !state.target.answers_in_order()))
        return;
    for (std::size_t i = 0; i < basic_header_size; ++i)
        if ((can.front().known >> i & 1) != 0)
            pdu.header[i] = can.front().header[i];
    pdu.known |= can.front().known;
    pdu.inferred = true;
}

void complete_numbers(const LedgerState &state, Pdu &pdu) {
    const HeaderView h = pdu.view();
    if (const auto status = state.statuses.next(); status && h.consumes_stat_sn())
        fill(pdu, hf::stat_sn, *status);
    if (const auto number = state.commands.next(); number && h.consumes_cmd_sn() && !state.commands.shared())
        fill(pdu, hf::cmd_sn, *number);
}

void complete_of_task(const LedgerState &state, const TaskProgress &task, Pdu &pdu) {
    switch (pdu.view().opcode()) {
    case Opcode::data_in:
        complete_data_in(pdu, task);
        break;
    case Opcode::r2t:
        complete_r2t(pdu, task, state.lengths.write_burst());
        break;
    case Opcode::data_out:
        complete_data_out(pdu, task);
        break;
    case Opcode::scsi_response:
        complete_residual(pdu, task, task.reads ? task.in_bytes : task.out_bytes);
        break;
    default:
        break;
    }
}

} // namespace

void complete(const LedgerState &state, Pdu &pdu) {
    if (!pdu.inferred && !pdu.knows(hf::initiator_task_tag))
        complete_tag(state, pdu);
    if (pdu.known == whole_header)
        return;
    complete_numbers(state, pdu);
    if (!pdu.knows(hf::initiator_task_tag))
        return;
    if (const auto *task = state.tasks.find(static_cast<std::uint32_t>(pdu.view().initiator_task_tag())))
        complete_of_task(state, *task, pdu);
}

} // namespace iscsiscope
