// SPDX-License-Identifier: GPL-2.0-or-later
// RFC 7143 section 11.7.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

struct DataIn {
    bool final = false;
    bool acknowledge = false; // A: asks for a DataACK SNACK
    bool overflow = false;    // with has_status only, as are underflow, status, stat_sn, residual_count
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

    // nullopt: another opcode, or a header that RFC 7143 forbids. Reserved bits are ignored.
    static std::optional<DataIn> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const DataIn &, const DataIn &) = default;
};

} // namespace iscsiscope
