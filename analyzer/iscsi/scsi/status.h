// SPDX-License-Identifier: GPL-2.0-or-later
// SCSI status codes (SAM-5 section 5.3.1) and their names.
#pragma once

#include <cstdint>
#include <string_view>

namespace iscsiscope {

enum class ScsiStatus : std::uint8_t {
    good = 0x00,
    check_condition = 0x02,
    condition_met = 0x04,
    busy = 0x08,
    reservation_conflict = 0x18,
    task_set_full = 0x28,
    aca_active = 0x30,
    task_aborted = 0x40,
};

// "GOOD", "CHECK CONDITION" ...; "unknown" for others.
std::string_view name(ScsiStatus);

} // namespace iscsiscope
