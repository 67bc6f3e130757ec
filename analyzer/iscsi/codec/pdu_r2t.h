// SPDX-License-Identifier: GPL-2.0-or-later
// RFC 7143 section 11.8.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

struct R2t {
    Lun lun{};
    InitiatorTaskTag initiator_task_tag{};
    TargetTransferTag target_transfer_tag{};
    StatSn stat_sn; // the next one; not used up
    CmdSn exp_cmd_sn;
    CmdSn max_cmd_sn;
    DataSn r2t_sn;
    std::uint32_t buffer_offset = 0;
    std::uint32_t desired_data_transfer_length = 0; // bytes, never 0

    // nullopt: another opcode, or a header that RFC 7143 forbids. Reserved bits are ignored.
    static std::optional<R2t> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const R2t &, const R2t &) = default;
};

} // namespace iscsiscope
