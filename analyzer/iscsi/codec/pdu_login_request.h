// SPDX-License-Identifier: GPL-2.0-or-later
// RFC 7143 section 11.12. The text keys are in the data segment.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"
#include "analyzer/iscsi/codec/login_stage.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

struct LoginRequest {
    bool transit = false;
    bool continued = false; // C: the text goes on in the next PDU; never with transit
    LoginStage current_stage = LoginStage::security;
    LoginStage next_stage = LoginStage::security; // meaningful with transit
    std::uint8_t version_max = 0;
    std::uint8_t version_min = 0;
    std::uint32_t data_segment_length = 0;
    Isid isid{};
    std::uint16_t tsih = 0; // 0 on the first connection of a session
    InitiatorTaskTag initiator_task_tag{};
    std::uint16_t cid = 0;
    CmdSn cmd_sn;
    StatSn exp_stat_sn;

    // nullopt: another opcode, or a header that RFC 7143 forbids. Reserved bits are ignored.
    static std::optional<LoginRequest> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const LoginRequest &, const LoginRequest &) = default;
};

} // namespace iscsiscope
