// SPDX-License-Identifier: GPL-2.0-or-later
// What of a write goes with the command, what follows as unsolicited data, and how a burst is cut into PDUs.
#pragma once

#include "analyzer/iscsi/text/operational_parameters.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

namespace iscsiscope::testbed::initiator {

// What the initiator makes of what was negotiated.
enum class UnsolicitedPolicy : std::uint8_t {
    negotiated, // everything that is allowed
    immediate,  // immediate data only
    none,       // wait for R2T
};
constexpr std::optional<UnsolicitedPolicy> unsolicited_from_name(std::string_view name) {
    if (name == "negotiated")
        return UnsolicitedPolicy::negotiated;
    if (name == "immediate")
        return UnsolicitedPolicy::immediate;
    if (name == "none")
        return UnsolicitedPolicy::none;
    return std::nullopt;
}

struct WriteOpening {
    std::uint32_t immediate = 0;   // bytes in the command PDU
    std::uint32_t unsolicited = 0; // bytes in Data-Out PDUs behind it (the F bit of the command is 0)
};

// RFC 7143 sections 13.10 to 13.14: immediate and unsolicited data together within FirstBurstLength,
// immediate data within the target's MaxRecvDataSegmentLength.
constexpr WriteOpening plan_write(const OperationalParameters &keys, UnsolicitedPolicy policy,
                                  std::uint32_t length) {
    WriteOpening plan;
    const std::uint32_t first_burst = std::min(keys.first_burst_length, length);
    if (keys.immediate_data && policy != UnsolicitedPolicy::none)
        plan.immediate = std::min(first_burst, keys.max_recv_data_segment_length_target);
    if (!keys.initial_r2t && policy == UnsolicitedPolicy::negotiated)
        plan.unsolicited = first_burst - plan.immediate;
    return plan;
}

// Calls piece(offset, length, final) for each Data-Out of a burst.
template <class Piece>
constexpr void cut_burst(std::uint32_t offset, std::uint32_t length, std::uint32_t limit, Piece piece) {
    while (length > 0) {
        const std::uint32_t part = std::min(length, limit);
        piece(offset, part, part == length);
        offset += part;
        length -= part;
    }
}

} // namespace iscsiscope::testbed::initiator
