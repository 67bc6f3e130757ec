// SPDX-License-Identifier: GPL-2.0-or-later
// RFC 7143 section 11.9.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

enum class AsyncEvent : std::uint8_t {
    scsi_event = 0,            // sense data in the data segment
    logout_requested = 1,      // within parameter3 seconds
    connection_dropped = 2,    // parameter1 is the CID
    session_dropped = 3,       // all connections
    negotiation_requested = 4, // of parameters, by Text Request within parameter3 seconds
    task_terminated = 5,       // RFC 7144 section 5.1
    vendor_specific = 255,
};

struct AsyncMessage {
    AsyncEvent event = AsyncEvent::scsi_event;
    std::uint8_t vendor_code = 0;
    std::uint16_t parameter1 = 0;
    std::uint16_t parameter2 = 0;
    std::uint16_t parameter3 = 0;
    std::uint32_t data_segment_length = 0;
    Lun lun{};
    StatSn stat_sn;
    CmdSn exp_cmd_sn;
    CmdSn max_cmd_sn;

    // nullopt: another opcode, or a header that RFC 7143 forbids. Reserved bits are ignored.
    static std::optional<AsyncMessage> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const AsyncMessage &, const AsyncMessage &) = default;
};

} // namespace iscsiscope
