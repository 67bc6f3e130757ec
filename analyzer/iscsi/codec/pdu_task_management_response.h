// SPDX-License-Identifier: GPL-2.0-or-later
// RFC 7143 section 11.6.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

struct TaskManagementResponse {
    // 0 complete, 1 no such task, 2 no such LUN, 3 task still allegiant, 4 reassignment not supported,
    // 5 function not supported, 6 not authorized, 255 rejected; 7 succeeded (RFC 7144).
    std::uint8_t response = 0;
    InitiatorTaskTag initiator_task_tag{};
    StatSn stat_sn;
    CmdSn exp_cmd_sn;
    CmdSn max_cmd_sn;

    // nullopt: another opcode, or a header that RFC 7143 forbids. Reserved bits are ignored.
    static std::optional<TaskManagementResponse> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const TaskManagementResponse &, const TaskManagementResponse &) = default;
};

} // namespace iscsiscope
