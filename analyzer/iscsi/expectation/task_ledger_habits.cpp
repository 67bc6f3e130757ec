// SPDX-License-Identifier: GPL-2.0-or-later
// What an initiator and a target keep to, learned from headers in the file: sizes of data segments, order of
// answers, place of the status, immediate data.
#include "analyzer/iscsi/expectation/task_ledger.h"

#include <algorithm>

namespace iscsiscope {

void TaskLedger::Unit::note(std::uint32_t length, bool final) {
    if (final) {
        largest = std::max(largest, length);
        return;
    }
    run = length == whole ? run + 1 : 1;
    whole = length;
}

std::uint32_t TaskLedger::Unit::next(std::uint32_t left) const {
    if (whole == 0)
        return left <= std::max(negotiated, largest) ? left : 0;
    return run >= 2 || whole == negotiated || negotiated == 0 ? std::min(left, whole) : 0;
}

// The first answer to a task is in the file: counts whether it went to the oldest task of its kind.
void TaskLedger::note_order(const Task &task) {
    const auto waits = [&](const Task &t) {
        return t.reads == task.reads && t.writes == task.writes && t.in_pdus == 0 && t.r2ts == 0 &&
               (!t.doubtful || &t == &task);
    };
    const auto oldest = std::find_if(tasks_.begin(), tasks_.end(), waits);
    if (oldest == tasks_.end() || std::find_if(oldest + 1, tasks_.end(), waits) == tasks_.end())
        return; // there was no choice
    ++(&*oldest == &task ? in_order_ : out_of_order_);
    if (in_order_ + out_of_order_ >= 256) { // the recent ones count
        in_order_ /= 2;
        out_of_order_ /= 2;
    }
}

void TaskLedger::note_status_place(bool with_data) {
    ++(with_data ? with_data_ : without_data_);
    if (with_data_ + without_data_ >= 64) { // the recent ones count
        with_data_ /= 2;
        without_data_ /= 2;
    }
}

void TaskLedger::note_command_data(const Pdu &pdu) {
    const bool command = pdu.view().opcode() == Opcode::scsi_command;
    const auto counted = [](bool counts, std::uint8_t so_far) {
        constexpr int most = 255;
        return static_cast<std::uint8_t>(counts ? std::min(so_far + 1, most) : 0);
    };
    if (command && !pdu.inferred)
        with_data_run_ = counted(pdu.data_length > 0, with_data_run_);
    without_data_predicted_ =
        counted(command && pdu.inferred && pdu.data_length == 0, without_data_predicted_);
}

// Data for an R2T begin: counts whether that was the oldest one.
void TaskLedger::note_burst_order(const Burst &burst) {
    bool others = false, older = false;
    for (const Task &task : tasks_) {
        for (const Burst &b : task.bursts) {
            others = others || b.serial != burst.serial;
            older = older || b.serial < burst.serial;
        }
    }
    if (older)
        ++bursts_out_of_order_;
    else if (others)
        ++bursts_in_order_;
    if (bursts_in_order_ + bursts_out_of_order_ > 1000) {
        bursts_in_order_ /= 2;
        bursts_out_of_order_ /= 2;
    }
}

std::optional<std::uint32_t> TaskLedger::immediate_data() const {
    const bool follows = immediate_run_ >= 2 || (immediate_data_ % 512 == 0 && !guessed_);
    return follows ? std::optional(immediate_data_) : std::nullopt;
}

} // namespace iscsiscope
