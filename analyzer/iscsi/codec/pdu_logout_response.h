// SPDX-License-Identifier: GPL-2.0-or-later
// RFC 7143 section 11.15.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

struct LogoutResponse {
    std::uint8_t response = 0; // 0 closed, 1 no such CID, 2 recovery not supported, 3 cleanup failed
    InitiatorTaskTag initiator_task_tag{};
    StatSn stat_sn;
    CmdSn exp_cmd_sn;
    CmdSn max_cmd_sn;
    std::uint16_t time2wait = 0;   // seconds
    std::uint16_t time2retain = 0; // seconds

    // nullopt: another opcode, or a header that RFC 7143 forbids. Reserved bits are ignored.
    static std::optional<LogoutResponse> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const LogoutResponse &, const LogoutResponse &) = default;
};

} // namespace iscsiscope
