// SPDX-License-Identifier: GPL-2.0-or-later
// Task Management Function Request and Response PDUs: fields as values, parse and encode.
// parse() returns nullopt for another opcode or a header that RFC 7143 forbids, and ignores reserved bits.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace iscsiscope {

// RFC 7143 section 11.5; functions from 9 on are RFC 7144 section 6.
enum class TaskManagementFunction : std::uint8_t {
    abort_task = 1,
    abort_task_set = 2,
    clear_aca = 3,
    clear_task_set = 4,
    logical_unit_reset = 5,
    target_warm_reset = 6,
    target_cold_reset = 7,
    task_reassign = 8,
    query_task = 9,
    query_task_set = 10,
    i_t_nexus_reset = 11,
    query_asynchronous_event = 12,
};

// "ABORT TASK", "LOGICAL UNIT RESET" ...
std::string_view name(TaskManagementFunction);

struct TaskManagementRequest {
    bool immediate = false;
    TaskManagementFunction function = TaskManagementFunction::abort_task;
    Lun lun{};
    InitiatorTaskTag initiator_task_tag{};
    InitiatorTaskTag referenced_task_tag = InitiatorTaskTag::reserved;
    CmdSn cmd_sn;
    StatSn exp_stat_sn;
    CmdSn ref_cmd_sn;
    DataSn exp_data_sn; // task_reassign only

    static std::optional<TaskManagementRequest> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const TaskManagementRequest &, const TaskManagementRequest &) = default;
};

// RFC 7143 section 11.6.
struct TaskManagementResponse {
    // 0 complete, 1 no such task, 2 no such LUN, 3 task still allegiant, 4 reassignment not supported,
    // 5 function not supported, 6 not authorized, 255 rejected; 7 succeeded (RFC 7144).
    std::uint8_t response = 0;
    InitiatorTaskTag initiator_task_tag{};
    StatSn stat_sn;
    CmdSn exp_cmd_sn;
    CmdSn max_cmd_sn;

    static std::optional<TaskManagementResponse> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const TaskManagementResponse &, const TaskManagementResponse &) = default;
};

} // namespace iscsiscope
