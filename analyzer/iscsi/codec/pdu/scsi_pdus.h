// SPDX-License-Identifier: GPL-2.0-or-later
// SCSI Command and SCSI Response PDUs: fields as values, parse and encode.
// parse() returns nullopt for another opcode or a header that RFC 7143 forbids, and ignores reserved bits.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace iscsiscope {

// RFC 7143 section 11.3.
enum class TaskAttribute : std::uint8_t { untagged, simple, ordered, head_of_queue, aca };

struct ScsiCommand {
    bool immediate = false;
    bool final = true; // false: unsolicited Data-Out PDUs follow
    bool read = false;
    bool write = false;
    TaskAttribute attribute = TaskAttribute::simple;
    std::uint32_t ahs_length = 0;          // bytes, a multiple of 4; contents: ahs.h
    std::uint32_t data_segment_length = 0; // immediate data
    Lun lun{};
    InitiatorTaskTag initiator_task_tag{};
    std::uint32_t expected_data_transfer_length = 0; // bytes; of the write if both directions
    CmdSn cmd_sn;
    StatSn exp_stat_sn;
    std::array<std::byte, 16> cdb{}; // zero behind a shorter CDB

    static std::optional<ScsiCommand> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const ScsiCommand &, const ScsiCommand &) = default;
};

// RFC 7143 section 11.4. Sense data, with its two-byte length, is in the data segment.
struct ScsiResponse {
    bool bidirectional_overflow = false;
    bool bidirectional_underflow = false;
    bool overflow = false;
    bool underflow = false;
    std::uint8_t response = 0; // 0: completed at target, 1: target failure
    std::uint8_t status = 0;   // SCSI status; meaningful with response 0
    std::uint32_t data_segment_length = 0;
    InitiatorTaskTag initiator_task_tag{};
    std::uint32_t snack_tag = 0;
    StatSn stat_sn;
    CmdSn exp_cmd_sn;
    CmdSn max_cmd_sn;
    DataSn exp_data_sn; // number of Data-In (and R2T, if bidirectional) PDUs sent
    std::uint32_t bidirectional_residual_count = 0;
    std::uint32_t residual_count = 0;

    static std::optional<ScsiResponse> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const ScsiResponse &, const ScsiResponse &) = default;
};

} // namespace iscsiscope
