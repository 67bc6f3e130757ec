// SPDX-License-Identifier: GPL-2.0-or-later
// DataSequences: of which task a sequence of data PDUs has begun and not ended, in each direction. In: the
// data PDUs. Out: that task, whose data go on next. States of a direction: no sequence, or that of one task.
#pragma once

#include "analyzer/iscsi/expectation/ledger/task_list.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

class DataSequences {
public:
    // Data-In of a task that has noted it.
    void note_data_in(const TaskProgress &task, const Pdu &pdu, const TaskList &tasks) {
        const HeaderView h = pdu.view();
        interleaved_ = interleaved_ || (receiving_ && *receiving_ != task.itt && !pdu.inferred &&
                                        tasks.find(*receiving_) != nullptr);
        const bool more = task.more_data_in() && !h.status_bit();
        receiving_ = !h.final() || (more && !interleaved_) ? std::optional(task.itt) : std::nullopt;
    }
    void note_data_out(const TaskProgress &task, const Pdu &pdu) {
        sending_ = pdu.view().final() ? std::nullopt : std::optional(task.itt);
    }
    // The task of which a sequence of Data-In PDUs, or of Data-Out PDUs, has begun and not ended with its F
    // bit; of Data-In also one whose data have begun and not ended, if the target has never sent others'
    // between.
    std::optional<std::uint32_t> receiving() const { return receiving_; }
    std::optional<std::uint32_t> sending() const { return sending_; }
    // The target has sent data of a task between those of another one.
    bool interleaved() const { return interleaved_; }

private:
    std::optional<std::uint32_t> receiving_, sending_;
    bool interleaved_ = false;
};

} // namespace iscsiscope
