// SPDX-License-Identifier: GPL-2.0-or-later
// R2T, Data-Out and Data-In PDUs: fields as values, parse and encode.
// parse() returns nullopt for another opcode or a header that RFC 7143 forbids, and ignores reserved bits.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

// RFC 7143 section 11.7.
struct DataIn {
    bool final = false;
    bool acknowledge = false; // A: requests a DataACK SNACK
    bool overflow = false;    // meaningful with has_status, as underflow, status, stat_sn, residual_count
    bool underflow = false;
    bool has_status = false; // S: phase collapse, no SCSI Response follows
    std::uint8_t status = 0;
    std::uint32_t data_segment_length = 0;
    Lun lun{};
    InitiatorTaskTag initiator_task_tag{};
    TargetTransferTag target_transfer_tag = TargetTransferTag::reserved;
    StatSn stat_sn;
    CmdSn exp_cmd_sn;
    CmdSn max_cmd_sn;
    DataSn data_sn;
    std::uint32_t buffer_offset = 0;
    std::uint32_t residual_count = 0;

    static std::optional<DataIn> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const DataIn &, const DataIn &) = default;
};

// RFC 7143 section 11.7.
struct DataOut {
    bool final = false; // last of an unsolicited burst or of an R2T's answer
    std::uint32_t data_segment_length = 0;
    Lun lun{};
    InitiatorTaskTag initiator_task_tag{};
    TargetTransferTag target_transfer_tag = TargetTransferTag::reserved;
    StatSn exp_stat_sn;
    DataSn data_sn;
    std::uint32_t buffer_offset = 0;

    static std::optional<DataOut> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const DataOut &, const DataOut &) = default;
};

// RFC 7143 section 11.8.
struct R2t {
    Lun lun{};
    InitiatorTaskTag initiator_task_tag{};
    TargetTransferTag target_transfer_tag{};
    StatSn stat_sn; // the next StatSN, not used up
    CmdSn exp_cmd_sn;
    CmdSn max_cmd_sn;
    DataSn r2t_sn;
    std::uint32_t buffer_offset = 0;
    std::uint32_t desired_data_transfer_length = 0; // bytes, never 0

    static std::optional<R2t> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const R2t &, const R2t &) = default;
};

} // namespace iscsiscope
