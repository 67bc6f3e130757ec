// SPDX-License-Identifier: GPL-2.0-or-later
// AccessReports: reads the data of tasks that concern reservations and target port groups, and reports them
// (ReservationRecord, PortGroupsRecord). Keeps nothing.
#pragma once

#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/cycles/tasks/task.h"
#include "analyzer/iscsi/scsi/cdb.h"

#include <cstddef>
#include <span>

namespace iscsiscope {

class AccessReports {
public:
    // What Task::page keeps of this command.
    static std::uint8_t of_command(const CommandInfo &, std::span<const std::byte, 16> cdb);
    // Bytes of the task's first data that on_data() reads, in the direction of the task's data; 0: none.
    static std::uint32_t wanted(const Task &, PduDirection);

    // Takes the first data of such a task; of others it does nothing. The PDU has been delivered.
    static void on_data(StreamId stream, SessionId session, const Task &, const Pdu &, const RecordTables &);
};

} // namespace iscsiscope
