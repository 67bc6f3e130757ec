// SPDX-License-Identifier: GPL-2.0-or-later
// RFC 7143 section 11.14.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

enum class LogoutReason : std::uint8_t { close_session = 0, close_connection = 1, remove_for_recovery = 2 };

struct LogoutRequest {
    bool immediate = false;
    LogoutReason reason = LogoutReason::close_session;
    InitiatorTaskTag initiator_task_tag{};
    std::uint16_t cid = 0; // the connection to close; not with close_session
    CmdSn cmd_sn;
    StatSn exp_stat_sn;

    // nullopt: another opcode, or a header that RFC 7143 forbids. Reserved bits are ignored.
    static std::optional<LogoutRequest> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const LogoutRequest &, const LogoutRequest &) = default;
};

} // namespace iscsiscope
