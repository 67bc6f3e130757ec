// SPDX-License-Identifier: GPL-2.0-or-later
// Login Request and Login Response PDUs: fields as values, parse and encode.
// parse() returns nullopt for another opcode or a header that RFC 7143 forbids, and ignores reserved bits.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"
#include "analyzer/iscsi/codec/login_stage.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

// RFC 7143 section 11.12. The text keys are in the data segment.
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

    static std::optional<LoginRequest> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const LoginRequest &, const LoginRequest &) = default;
};

// RFC 7143 section 11.13. The text keys are in the data segment.
struct LoginResponse {
    bool transit = false;
    bool continued = false; // C: the text goes on in the next PDU; never with transit
    LoginStage current_stage = LoginStage::security;
    LoginStage next_stage = LoginStage::security; // meaningful with transit
    std::uint8_t version_max = 0;
    std::uint8_t version_active = 0;
    std::uint32_t data_segment_length = 0;
    Isid isid{};
    std::uint16_t tsih = 0;
    InitiatorTaskTag initiator_task_tag{};
    StatSn stat_sn;
    CmdSn exp_cmd_sn;
    CmdSn max_cmd_sn;
    std::uint8_t status_class = 0; // 0 success, 1 redirection, 2 initiator error, 3 target error
    std::uint8_t status_detail = 0;

    static std::optional<LoginResponse> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const LoginResponse &, const LoginResponse &) = default;
};

} // namespace iscsiscope
