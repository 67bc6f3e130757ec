// SPDX-License-Identifier: GPL-2.0-or-later
// Management: handles Task Management, Logout, Reject, Async Message and NOP PDUs. Reports each as an
// EventRecord, and ends the tasks that a completed function, a Logout or a Reject terminates.
#pragma once

#include "analyzer/cycles/task_tracker.h"

namespace iscsiscope {

class Management {
public:
    // Most unanswered requests remembered for one session; beyond it the oldest is forgotten.
    static constexpr std::size_t max_pending = 1024;
    // Bytes of a Reject's data segment, which holds the rejected header (RFC 7143 section 11.17).
    static constexpr std::uint32_t reject_data_wanted = 48;

    Management(CycleState &shared, TaskTracker &tasks) : shared_(shared), tasks_(tasks) {}

    // Takes one of the PDUs above when it has been delivered. The connection must have a session.
    void on_pdu(CycleConnection &, const Pdu &);

private:
    void on_task_management_request(CycleConnection &, const Pdu &, EventRecord &);
    void on_task_management_response(CycleConnection &, const Pdu &, EventRecord &);
    void on_logout_response(CycleConnection &, const Pdu &);
    void on_reject(CycleConnection &, const Pdu &, EventRecord &);
    // Ends the tasks that a completed task management function affects.
    void end_affected(CycleConnection &, const PendingManagement &, const Pdu &);

    CycleState &shared_;
    TaskTracker &tasks_;
};

} // namespace iscsiscope
