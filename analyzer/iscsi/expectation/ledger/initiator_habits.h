// SPDX-License-Identifier: GPL-2.0-or-later
// InitiatorHabits: what an initiator keeps to. In: its commands, and the beginning of data for an R2T. Out:
// what its next command is like, and the order in which it sends data.
#pragma once

#include "analyzer/iscsi/expectation/ledger/recent_counts.h"
#include "analyzer/iscsi/expectation/ledger/task_list.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

class InitiatorHabits {
public:
    // A PDU to the target: what of it are commands, and their immediate data.
    void note(const Pdu &);
    // A command, which its task has noted: where it goes and what it asks for.
    void note_command(const TaskProgress &, const Pdu &);
    // Data for a burst begin in the file: counts whether that was the oldest one.
    void note_burst_order(const DataBurst &, const TaskList &);

    // The immediate data of the next write command, bytes; 0: none. Empty if that does not follow: a write
    // that has as much as the one before it, and as the one before that, is followed by more of them; else,
    // of whole blocks, by one.
    std::optional<std::uint32_t> immediate_data() const;
    // Whether a command without data may come where one with immediate data may: not after two or more
    // commands in the file in a row that had such data. many_without_data(): the last four PDUs to the
    // target, or more, were predicted commands without data.
    bool may_lack_data() const { return with_data_run_ < 2; }
    bool many_without_data() const { return without_data_predicted_ >= 4; }
    // Whether the initiator has sent data for R2Ts in the order in which they came, as
    // TargetHabits::answers_in_order() has it of commands. `surely`: at least four had a choice, and none was
    // for a younger R2T.
    bool bursts_in_order() const { return bursts_in_order_.mostly(); }
    bool bursts_surely_in_order() const { return bursts_in_order_.yes >= 4 && bursts_in_order_.no == 0; }
    // What the latest read command asked for, bytes; 0: none.
    std::uint32_t latest_read() const { return latest_read_; }
    // The LUN of the latest command.
    std::uint64_t latest_lun() const { return latest_lun_; }

private:
    std::uint64_t latest_lun_ = 0;
    std::uint32_t latest_read_ = 0;
    std::uint32_t immediate_data_ = 0, immediate_run_ = 0; // how many in a row had that much
    RecentCounts bursts_in_order_;
    std::uint8_t with_data_run_ = 0;          // commands in the file in a row that had immediate data
    std::uint8_t without_data_predicted_ = 0; // predicted commands without data in a row
    bool guessed_ = false; // a command with data was predicted since the last one in the file
};

} // namespace iscsiscope
