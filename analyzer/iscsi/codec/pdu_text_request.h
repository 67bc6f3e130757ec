// SPDX-License-Identifier: GPL-2.0-or-later
// RFC 7143 section 11.10. The text keys are in the data segment.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

struct TextRequest {
    bool immediate = false;
    bool final = true;
    bool continued = false; // C: the text goes on in the next PDU; never with final
    std::uint32_t data_segment_length = 0;
    Lun lun{};
    InitiatorTaskTag initiator_task_tag{};
    TargetTransferTag target_transfer_tag = TargetTransferTag::reserved;
    CmdSn cmd_sn;
    StatSn exp_stat_sn;

    // nullopt: another opcode, or a header that RFC 7143 forbids. Reserved bits are ignored.
    static std::optional<TextRequest> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const TextRequest &, const TextRequest &) = default;
};

} // namespace iscsiscope
