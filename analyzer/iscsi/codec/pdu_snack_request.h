// SPDX-License-Identifier: GPL-2.0-or-later
// RFC 7143 section 11.16.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

enum class SnackType : std::uint8_t { data_or_r2t = 0, status = 1, data_ack = 2, r_data = 3 };

struct SnackRequest {
    SnackType type = SnackType::data_or_r2t;
    Lun lun{};
    InitiatorTaskTag initiator_task_tag{};
    TargetTransferTag target_transfer_tag = TargetTransferTag::reserved; // or SNACK Tag with r_data
    StatSn exp_stat_sn;
    std::uint32_t begin_run = 0;
    std::uint32_t run_length = 0; // 0: all from begin_run on

    // nullopt: another opcode, or a header that RFC 7143 forbids. Reserved bits are ignored.
    static std::optional<SnackRequest> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const SnackRequest &, const SnackRequest &) = default;
};

} // namespace iscsiscope
