// SPDX-License-Identifier: GPL-2.0-or-later
// Asynchronous Message, Logout, Reject and SNACK PDUs: fields as values, parse and encode.
// parse() returns nullopt for another opcode or a header that RFC 7143 forbids, and ignores reserved bits.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace iscsiscope {

// RFC 7143 section 11.9.
enum class AsyncEvent : std::uint8_t {
    scsi_event = 0,            // sense data in the data segment
    logout_requested = 1,      // within parameter3 seconds
    connection_dropped = 2,    // parameter1 is the CID
    session_dropped = 3,       // all connections
    negotiation_requested = 4, // of parameters, by Text Request within parameter3 seconds
    task_terminated = 5,       // RFC 7144 section 5.1
    vendor_specific = 255,
};

struct AsyncMessage {
    AsyncEvent event = AsyncEvent::scsi_event;
    std::uint8_t vendor_code = 0;
    std::uint16_t parameter1 = 0;
    std::uint16_t parameter2 = 0;
    std::uint16_t parameter3 = 0;
    std::uint32_t data_segment_length = 0;
    Lun lun{};
    StatSn stat_sn;
    CmdSn exp_cmd_sn;
    CmdSn max_cmd_sn;

    static std::optional<AsyncMessage> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const AsyncMessage &, const AsyncMessage &) = default;
};

// RFC 7143 section 11.14.
enum class LogoutReason : std::uint8_t { close_session = 0, close_connection = 1, remove_for_recovery = 2 };

struct LogoutRequest {
    bool immediate = false;
    LogoutReason reason = LogoutReason::close_session;
    InitiatorTaskTag initiator_task_tag{};
    std::uint16_t cid = 0; // the connection to close; not with close_session
    CmdSn cmd_sn;
    StatSn exp_stat_sn;

    static std::optional<LogoutRequest> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const LogoutRequest &, const LogoutRequest &) = default;
};

// RFC 7143 section 11.15.
struct LogoutResponse {
    std::uint8_t response = 0; // 0 closed, 1 no such CID, 2 recovery not supported, 3 cleanup failed
    InitiatorTaskTag initiator_task_tag{};
    StatSn stat_sn;
    CmdSn exp_cmd_sn;
    CmdSn max_cmd_sn;
    std::uint16_t time2wait = 0;   // seconds
    std::uint16_t time2retain = 0; // seconds

    static std::optional<LogoutResponse> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const LogoutResponse &, const LogoutResponse &) = default;
};

// The meaning of a Reject's reason code, "protocol error" (RFC 7143 section 11.17.1); empty for one that the
// standard does not define.
std::string_view reject_reason(std::uint8_t code);

// RFC 7143 section 11.17. The rejected header is in the data segment.
struct Reject {
    std::uint8_t reason = 0;
    std::uint32_t data_segment_length = 48;
    StatSn stat_sn;
    CmdSn exp_cmd_sn;
    CmdSn max_cmd_sn;
    DataSn data_sn; // next DataSN or R2TSN expected; meaningful with reason 2 (data digest error)

    static std::optional<Reject> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const Reject &, const Reject &) = default;
};

// RFC 7143 section 11.16.
enum class SnackType : std::uint8_t { data_or_r2t = 0, status = 1, data_ack = 2, r_data = 3 };

struct SnackRequest {
    SnackType type = SnackType::data_or_r2t;
    Lun lun{};
    InitiatorTaskTag initiator_task_tag{};
    TargetTransferTag target_transfer_tag = TargetTransferTag::reserved; // or SNACK Tag with r_data
    StatSn exp_stat_sn;
    std::uint32_t begin_run = 0;
    std::uint32_t run_length = 0; // 0: all from begin_run on

    static std::optional<SnackRequest> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const SnackRequest &, const SnackRequest &) = default;
};

} // namespace iscsiscope
