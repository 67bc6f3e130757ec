// SPDX-License-Identifier: GPL-2.0-or-later
// PduDirection: the direction in which a PDU travels.
#pragma once

#include <cstdint>

namespace iscsiscope {

enum class PduDirection : std::uint8_t { to_target, to_initiator };

constexpr PduDirection opposite(PduDirection d) {
    return d == PduDirection::to_target ? PduDirection::to_initiator : PduDirection::to_target;
}

} // namespace iscsiscope
