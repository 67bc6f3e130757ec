// SPDX-License-Identifier: GPL-2.0-or-later
// RFC 7143 section 11.17. The rejected header is in the data segment.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

struct Reject {
    std::uint8_t reason = 0;
    std::uint32_t data_segment_length = 48;
    StatSn stat_sn;
    CmdSn exp_cmd_sn;
    CmdSn max_cmd_sn;
    DataSn data_sn; // next DataSN or R2TSN expected; meaningful with reason 2 (data digest error)

    // nullopt: another opcode, or a header that RFC 7143 forbids. Reserved bits are ignored.
    static std::optional<Reject> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const Reject &, const Reject &) = default;
};

} // namespace iscsiscope
