// SPDX-License-Identifier: GPL-2.0-or-later
// NOP-Out and NOP-In PDUs: fields as values, parse and encode.
// parse() returns nullopt for another opcode or a header that RFC 7143 forbids, and ignores reserved bits.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

// RFC 7143 section 11.19. Ping data is in the data segment.
struct NopIn {
    std::uint32_t data_segment_length = 0;
    Lun lun{};
    InitiatorTaskTag initiator_task_tag = InitiatorTaskTag::reserved;    // that of the NOP-Out it answers
    TargetTransferTag target_transfer_tag = TargetTransferTag::reserved; // reserved: no answer requested
    StatSn stat_sn;
    CmdSn exp_cmd_sn;
    CmdSn max_cmd_sn;

    static std::optional<NopIn> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const NopIn &, const NopIn &) = default;
};

// RFC 7143 section 11.18. Ping data is in the data segment.
struct NopOut {
    bool immediate = false;
    std::uint32_t data_segment_length = 0;
    Lun lun{};
    InitiatorTaskTag initiator_task_tag = InitiatorTaskTag::reserved;    // reserved: no answer requested
    TargetTransferTag target_transfer_tag = TargetTransferTag::reserved; // that of the NOP-In it answers
    CmdSn cmd_sn;
    StatSn exp_stat_sn;

    static std::optional<NopOut> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const NopOut &, const NopOut &) = default;
};

} // namespace iscsiscope
