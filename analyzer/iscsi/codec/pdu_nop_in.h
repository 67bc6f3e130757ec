// SPDX-License-Identifier: GPL-2.0-or-later
// RFC 7143 section 11.19. Ping data is in the data segment.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

struct NopIn {
    std::uint32_t data_segment_length = 0;
    Lun lun{};
    InitiatorTaskTag initiator_task_tag = InitiatorTaskTag::reserved;    // that of the NOP-Out it answers
    TargetTransferTag target_transfer_tag = TargetTransferTag::reserved; // reserved: no answer wanted
    StatSn stat_sn;
    CmdSn exp_cmd_sn;
    CmdSn max_cmd_sn;

    // nullopt: another opcode, or a header that RFC 7143 forbids. Reserved bits are ignored.
    static std::optional<NopIn> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const NopIn &, const NopIn &) = default;
};

} // namespace iscsiscope
