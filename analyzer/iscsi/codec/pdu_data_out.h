// SPDX-License-Identifier: GPL-2.0-or-later
// RFC 7143 section 11.7.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

struct DataOut {
    bool final = false; // last of an unsolicited burst or of an R2T's answer
    std::uint32_t data_segment_length = 0;
    Lun lun{};
    InitiatorTaskTag initiator_task_tag{};
    TargetTransferTag target_transfer_tag = TargetTransferTag::reserved;
    StatSn exp_stat_sn;
    DataSn data_sn;
    std::uint32_t buffer_offset = 0;

    // nullopt: another opcode, or a header that RFC 7143 forbids. Reserved bits are ignored.
    static std::optional<DataOut> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const DataOut &, const DataOut &) = default;
};

} // namespace iscsiscope
