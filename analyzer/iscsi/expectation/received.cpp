// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/expectation/received.h"

#include "analyzer/iscsi/expectation/ledger/number_distance.h"

#include <algorithm>
#include <optional>

namespace iscsiscope {

namespace {

namespace hf = header_field;

bool later(const Pdu &pdu, std::uint64_t received) {
    return pdu.offset + basic_header_size > received;
}

bool is_of(const Pdu &pdu, std::uint32_t itt) {
    return pdu.knows(hf::initiator_task_tag) &&
           static_cast<std::uint32_t>(pdu.view().initiator_task_tag()) == itt;
}

bool enough_numbers(const Reading &r, std::uint32_t expected, std::uint64_t received) {
    const LedgerState &state = r.ledger.state();
    const bool to_target = r.framer.direction() == PduDirection::to_target;
    const auto next = to_target ? state.commands.next() : state.statuses.next();
    if (!next || state.commands.shared())
        return true;
    std::uint32_t behind = 0;
    for (auto p = r.pdus.rbegin(); p != r.pdus.rend() && later(p->pdu, received); ++p)
        behind += to_target ? p->pdu.view().consumes_cmd_sn() : p->pdu.view().consumes_stat_sn();
    return !is_above(expected, *next - behind);
}

// No more commands lie before an offset than the target has counted when it has read as far.
bool few_enough(const Reading &r, std::uint32_t expected, std::uint64_t read) {
    const CommandNumbers &commands = r.ledger.state().commands;
    const auto next = commands.next();
    if (!next || commands.shared() || r.common_from > read)
        return true;
    std::uint32_t behind = 0;
    for (auto p = r.pdus.rbegin(); p != r.pdus.rend() && p->pdu.offset >= read; ++p)
        behind += p->pdu.view().consumes_cmd_sn();
    return !is_above(*next - behind, expected);
}

// The target ends a Write: all that it asked for has come, and it has read up to there.
bool ends_write(const Reading &r, const Pdu &response, std::uint32_t itt, std::uint64_t received) {
    const TaskProgress *task = r.ledger.state().tasks.find(itt);
    if (task == nullptr || !task->sure)
        return true;
    if (hf::exp_cmd_sn.in(response.in_file) && task->data_out != 0 &&
        !few_enough(r, response.view().exp_cmd_sn().value, task->data_out))
        return false;
    const auto unsent = [](const DataBurst &b) { return b.ttt && b.length && b.sent < *b.length; };
    return std::none_of(task->bursts.begin(), task->bursts.end(), unsent) && task->data_out <= received;
}

// The initiator uses a tag again: the task that had it is over.
bool is_free(const Reading &r, std::uint32_t itt, std::uint64_t received) {
    const TaskProgress *task = r.ledger.state().tasks.find(itt);
    if (task != nullptr && task->has_command && task->sure && !task->doubtful)
        return false;
    return std::none_of(r.pdus.rbegin(), r.pdus.rend(), [&](const ReadPdu &p) {
        return p.pdu.view().has_status() && is_of(p.pdu, itt) && later(p.pdu, received);
    });
}

} // namespace

bool agrees_with(const Reading &r, const Pdu &pdu, std::uint64_t received) {
    const HeaderView h = pdu.view();
    const bool to_target = r.framer.direction() == PduDirection::to_target;
    if (to_target && h.has_exp_cmd_sn() && hf::exp_cmd_sn.in(pdu.in_file) &&
        !enough_numbers(r, h.exp_cmd_sn().value, received))
        return false;
    if (!to_target && h.has_exp_stat_sn() && hf::exp_stat_sn.in(pdu.in_file) &&
        !enough_numbers(r, h.exp_stat_sn().value, received))
        return false;
    if (!hf::initiator_task_tag.in(pdu.in_file))
        return true;
    const auto itt = static_cast<std::uint32_t>(h.initiator_task_tag());
    if (h.opcode() == Opcode::scsi_response)
        return h.response() != 0 || h.status() != 0 || h.underflow_bit() || h.overflow_bit() ||
               ends_write(r, pdu, itt, received);
    return h.opcode() != Opcode::scsi_command || is_free(r, itt, received);
}

} // namespace iscsiscope
