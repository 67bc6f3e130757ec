// SPDX-License-Identifier: GPL-2.0-or-later
// RFC 7143 section 11.3.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace iscsiscope {

enum class TaskAttribute : std::uint8_t { untagged, simple, ordered, head_of_queue, aca };

struct ScsiCommand {
    bool immediate = false;
    bool final = true; // false: unsolicited Data-Out PDUs follow
    bool read = false;
    bool write = false;
    TaskAttribute attribute = TaskAttribute::simple;
    std::uint32_t ahs_length = 0;          // bytes, a multiple of 4; contents: ahs.h
    std::uint32_t data_segment_length = 0; // immediate data
    Lun lun{};
    InitiatorTaskTag initiator_task_tag{};
    std::uint32_t expected_data_transfer_length = 0; // bytes; of the write if both directions
    CmdSn cmd_sn;
    StatSn exp_stat_sn;
    std::array<std::byte, 16> cdb{}; // zero behind a shorter CDB

    // nullopt: another opcode, or a header that RFC 7143 forbids. Reserved bits are ignored.
    static std::optional<ScsiCommand> parse(HeaderView);
    HeaderBytes encode() const;
    friend bool operator==(const ScsiCommand &, const ScsiCommand &) = default;
};

} // namespace iscsiscope
