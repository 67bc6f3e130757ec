// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

namespace iscsiscope {

// Which way a PDU travels; unknown in a stream whose ends have not been told apart.
enum class PduDirection : std::uint8_t { unknown, to_target, to_initiator };

} // namespace iscsiscope
