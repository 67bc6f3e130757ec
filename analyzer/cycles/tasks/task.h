// SPDX-License-Identifier: GPL-2.0-or-later
// Task: one SCSI task while it is open, and afterwards until its record is final. Kept small, since there may
// be millions: with its entry in the tag table a task takes at most 200 bytes.
#pragma once

#include "analyzer/base/time.h"
#include "analyzer/cycles/records/records.h"

#include <cstdint>
#include <limits>
#include <optional>

namespace iscsiscope {

struct CycleConnection;

using TaskIndex = std::uint32_t;
inline constexpr TaskIndex no_task = std::numeric_limits<TaskIndex>::max();

inline constexpr CycleId no_cycle{std::numeric_limits<std::uint64_t>::max()};

struct Task {
    CycleId cycle = no_cycle; // while the place is not in use
    std::uint64_t lun = 0;
    std::uint64_t lba = 0;
    std::uint64_t bytes_moved = 0;
    CycleConnection *owner = nullptr; // connection of allegiance
    OptionalFrame command_frame, first_data_frame, last_data_frame;
    Time start{};             // first_seen of the command; without command, of the task's first PDU
    Time command_delivered{}; // delivered of the command's header; with has_command
    Time first_data{};        // earliest first_seen of a Data-In
    Time last_data{};         // latest delivered of a Data-In
    Duration idle_mark{};     // gap time of the connection before start
    std::uint32_t idle_gaps_mark = 0;
    std::uint32_t itt = 0, cmd_sn = 0;
    std::uint32_t blocks = 0, bytes_expected = 0;
    TaskIndex previous = no_task; // in the list of open tasks; once ended: the index in HeldTasks
    TaskIndex next = no_task;
    std::uint32_t writing = no_task; // index of its BurstTracker; no_task: no data towards the target
    std::uint32_t data_pdus = 0, r2t_count = 0, retransmitted_segments = 0;
    std::uint32_t queue_depth = 0, session_depth = 0;
    std::uint32_t next_data_sn = 0;                // of Data-In and R2T
    std::uint32_t cut_bytes = 0, unseen_bytes = 0; // saturating
    std::uint16_t service_action = 0;
    std::uint8_t opcode = 0;
    // Of INQUIRY; of PERSISTENT RESERVE OUT, scope and type; of REPORT LUNS, which LUNs it asks for.
    std::uint8_t page = 0;
    TaskType type = TaskType::control;
    bool has_command : 1 = false;
    bool tag_known : 1 = true;       // else itt stands in for it
    bool expected_known : 1 = false; // bytes_expected
    bool cdb_known : 1 = false;      // else the command's type is that of its R and W bits
    bool inferred : 1 = false;       // rests on that, or on a PDU whose header is not in the file
    bool ended : 1 = false;
    bool immediate : 1 = false;
    bool reads : 1 = false, writes : 1 = false; // R and W of the command
    bool unsolicited_follows : 1 = false;       // F of the command was 0
    bool has_lba : 1 = false, has_blocks : 1 = false, has_service_action : 1 = false;
    bool vital_product_data : 1 = false;
    bool data_begun : 1 = false;  // a Data-In header has been delivered
    bool data_ended : 1 = false;  // a whole Data-In has been delivered
    bool sync_lost : 1 = false;   // PDU boundaries were lost on its connection while it was open
    bool wait_unseen : 1 = false; // when the target answered, or could, the file does not show
    // Its start is in no frame, or the capture's clock was set while it was open.
    bool response_unknown : 1 = false;
    bool rejected : 1 = false; // a Reject named its command; a SCSI Response may follow
    bool lost_beyond_tap : 1 = false;

    // When the header of the command was delivered; empty if it is not in the capture.
    std::optional<Time> delivered() const {
        return has_command ? std::optional(command_delivered) : std::nullopt;
    }
};

// A reference to a task that may have been forgotten: valid while the cycle number at the index is the same.
struct TaskRef {
    TaskIndex index = no_task;
    CycleId cycle;
};

} // namespace iscsiscope
