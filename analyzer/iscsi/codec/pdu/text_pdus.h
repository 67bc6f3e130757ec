// SPDX-License-Identifier: GPL-2.0-or-later
// Text Request and Text Response PDUs: fields as values, parse and encode.
// parse() returns nullopt for another opcode or a header that RFC 7143 forbids, and ignores reserved bits.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

// RFC 7143 section 11.10. The text keys are in the data segment.
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

    static std::optional<TextRequest> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const TextRequest &, const TextRequest &) = default;
};

// RFC 7143 section 11.11. The text keys are in the data segment.
struct TextResponse {
    bool final = true;
    bool continued = false; // C: the text goes on in the next PDU; never with final
    std::uint32_t data_segment_length = 0;
    Lun lun{};
    InitiatorTaskTag initiator_task_tag{};
    TargetTransferTag target_transfer_tag = TargetTransferTag::reserved;
    StatSn stat_sn;
    CmdSn exp_cmd_sn;
    CmdSn max_cmd_sn;

    static std::optional<TextResponse> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const TextResponse &, const TextResponse &) = default;
};

} // namespace iscsiscope
