// SPDX-License-Identifier: GPL-2.0-or-later
// Task management, Logout, Reject, Async Message and NOP: their events, and the tasks they end.
#pragma once

#include "analyzer/cycles/task_tracker.h"

namespace iscsiscope {

class Management {
public:
    // Requests remembered for one session until their answers come.
    static constexpr std::size_t max_pending = 1024;
    // Bytes of a Reject's data segment: the rejected header stands there (RFC 7143 section 11.17).
    static constexpr std::uint32_t reject_data_wanted = 48;

    Management(CycleState &shared, TaskTracker &tasks) : shared_(shared), tasks_(tasks) {}

    // One of the PDUs above, delivered, on a connection that has a session.
    void on_pdu(CycleConnection &, const Pdu &);

private:
    void on_task_management_request(CycleConnection &, const Pdu &, EventRecord &);
    void on_task_management_response(CycleConnection &, const Pdu &, EventRecord &);
    void on_logout_response(CycleConnection &, const Pdu &);
    void on_reject(CycleConnection &, const Pdu &, EventRecord &);
    // Ends what a completed function concerns.
    void end_concerned(CycleConnection &, const PendingManagement &, const Pdu &);

    CycleState &shared_;
    TaskTracker &tasks_;
};

} // namespace iscsiscope
