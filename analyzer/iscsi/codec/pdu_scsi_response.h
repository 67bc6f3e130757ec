// SPDX-License-Identifier: GPL-2.0-or-later
// RFC 7143 section 11.4. Sense data, with its two-byte length, is in the data segment.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

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

    // nullopt: another opcode, or a header that RFC 7143 forbids. Reserved bits are ignored.
    static std::optional<ScsiResponse> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const ScsiResponse &, const ScsiResponse &) = default;
};

} // namespace iscsiscope
