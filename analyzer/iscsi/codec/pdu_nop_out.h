// SPDX-License-Identifier: GPL-2.0-or-later
// RFC 7143 section 11.18. Ping data is in the data segment.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

struct NopOut {
    bool immediate = false;
    std::uint32_t data_segment_length = 0;
    Lun lun{};
    InitiatorTaskTag initiator_task_tag = InitiatorTaskTag::reserved;    // reserved: no answer wanted
    TargetTransferTag target_transfer_tag = TargetTransferTag::reserved; // that of the NOP-In it answers
    CmdSn cmd_sn;
    StatSn exp_stat_sn;

    // nullopt: another opcode, or a header that RFC 7143 forbids. Reserved bits are ignored.
    static std::optional<NopOut> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const NopOut &, const NopOut &) = default;
};

} // namespace iscsiscope
