// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/expectation/continuation.h"

#include "analyzer/iscsi/expectation/ledger/number_distance.h"

#include <algorithm>
#include <optional>

namespace iscsiscope {

namespace {

namespace hf = header_field;

std::uint32_t itt_of(HeaderView h) {
    return static_cast<std::uint32_t>(h.initiator_task_tag());
}

// Whether a field has the value that is expected, as far as both are known.
bool has(const Pdu &pdu, HeaderField f, std::uint32_t value, std::optional<std::uint32_t> expected) {
    return !expected || !f.in(pdu.in_file) || value == *expected;
}

bool follows_status_numbers(const LedgerState &state, const Pdu &pdu) {
    const HeaderView h = pdu.view();
    const bool numbered = h.consumes_stat_sn() || (h.opcode() == Opcode::r2t && state.statuses.in_r2ts());
    return !numbered || has(pdu, hf::stat_sn, h.stat_sn().value, state.statuses.next());
}

bool follows_data_in(const TaskProgress &task, const Pdu &pdu) {
    const HeaderView h = pdu.view();
    return !task.sure || (has(pdu, hf::buffer_offset, h.buffer_offset(), task.in_bytes) &&
                          has(pdu, hf::data_sn, h.data_sn().value, task.in_pdus));
}

bool follows_data_out(const TaskProgress &task, const Pdu &pdu) {
    const HeaderView h = pdu.view();
    const auto ttt = static_cast<std::uint32_t>(h.target_transfer_tag());
    const auto burst = std::find_if(task.bursts.begin(), task.bursts.end(),
                                    [ttt](const DataBurst &b) { return !b.ttt || *b.ttt == ttt; });
    return hf::target_transfer_tag.in(pdu.in_file) && burst != task.bursts.end() &&
           has(pdu, hf::buffer_offset, h.buffer_offset(), burst->offset + burst->sent);
}

bool follows_known(const LedgerState &state, const TaskProgress *task, const Pdu &pdu) {
    const HeaderView h = pdu.view();
    switch (h.opcode()) {
    case Opcode::data_in:
        return task != nullptr && follows_data_in(*task, pdu);
    case Opcode::r2t:
        return task != nullptr && (!task->sure || has(pdu, hf::data_sn, h.r2t_sn().value, task->r2ts));
    case Opcode::data_out:
        return task != nullptr && follows_data_out(*task, pdu);
    case Opcode::scsi_response:
        return task != nullptr;
    case Opcode::scsi_command:
        // The connections of a session share the numbers: another one may have used some.
        if (!h.immediate() && !state.commands.shared())
            return has(pdu, hf::cmd_sn, h.cmd_sn().value, state.commands.next());
        [[fallthrough]];
    default:
        return continues(state, h, pdu.in_file, pdu.direction);
    }
}

} // namespace

Following follows(const LedgerState &state, const Pdu &pdu) {
    if (!follows_status_numbers(state, pdu) || !hf::initiator_task_tag.in(pdu.in_file))
        return Following::no;
    const TaskProgress *task = state.tasks.find(itt_of(pdu.view()));
    if (task == nullptr && !is_request(pdu.view().opcode()) && state.may_answer_unknown())
        return Following::unknown; // of a command that was not found
    return follows_known(state, task, pdu) ? Following::yes : Following::no;
}

bool continues(const LedgerState &state, HeaderView h, HeaderMask in_file, PduDirection direction) {
    if (!hf::initiator_task_tag.in(in_file))
        return false;
    const auto near_statuses = [&] {
        return hf::stat_sn.in(in_file) && is_near(h.stat_sn().value, state.statuses.behind_last());
    };
    const TaskProgress *task = h.has_initiator_task_tag() ? state.tasks.find(itt_of(h)) : nullptr;
    switch (h.opcode()) {
    case Opcode::data_in:
        return task != nullptr && (task->reads || !task->has_command);
    case Opcode::r2t:
    case Opcode::data_out:
        return task != nullptr && (task->writes || !task->has_command) &&
               static_cast<std::uint64_t>(h.lun()) == task->lun;
    case Opcode::scsi_response:
        return task != nullptr || near_statuses();
    default:
        break;
    }
    if (direction == PduDirection::to_target)
        return h.has_cmd_sn() && hf::cmd_sn.in(in_file) &&
               is_near(h.cmd_sn().value, state.commands.behind_last());
    return h.has_stat_sn() && near_statuses();
}

} // namespace iscsiscope
