// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/expectation/ledger/initiator_habits.h"

#include <algorithm>

namespace iscsiscope {

void InitiatorHabits::note(const Pdu &pdu) {
    const auto counted = [](bool counts, std::uint8_t so_far) {
        constexpr int highest = 255;
        return static_cast<std::uint8_t>(counts ? std::min(so_far + 1, highest) : 0);
    };
    const bool command = pdu.view().opcode() == Opcode::scsi_command;
    without_data_predicted_ =
        counted(command && pdu.inferred && pdu.data_length == 0, without_data_predicted_);
    if (!command)
        return;
    if (!pdu.inferred) {
        with_data_run_ = counted(pdu.data_length > 0, with_data_run_);
        if (pdu.view().write_bit() || pdu.data_length > 0) {
            immediate_run_ = pdu.data_length == immediate_data_ ? immediate_run_ + 1 : 1;
            immediate_data_ = pdu.data_length;
        }
    }
    guessed_ = pdu.inferred && (guessed_ || pdu.data_length > 0);
}

void InitiatorHabits::note_command(const TaskProgress &task, const Pdu &pdu) {
    if (pdu.knows(header_field::lun))
        latest_lun_ = task.lun;
    if (task.reads && !task.writes && task.expected)
        latest_read_ = *task.expected;
}

void InitiatorHabits::note_burst_order(const DataBurst &burst, const TaskList &tasks) {
    bool others = false, older = false;
    for (const TaskProgress &task : tasks.all()) {
        for (const DataBurst &b : task.bursts) {
            others = others || b.serial != burst.serial;
            older = older || b.serial < burst.serial;
        }
    }
    if (others)
        bursts_in_order_.add(!older, 1001);
}

std::optional<std::uint32_t> InitiatorHabits::immediate_data() const {
    const bool follows = immediate_run_ >= 2 || (immediate_data_ % 512 == 0 && !guessed_);
    return follows ? std::optional(immediate_data_) : std::nullopt;
}

} // namespace iscsiscope
