// SPDX-License-Identifier: GPL-2.0-or-later
// What sense data is about, where several codes mean the same to whoever looks for the cause. The one place
// that says which codes these are; meanings are those of T10's list (sense_codes.h) and of SPC-4.
#pragma once

#include <cstdint>

namespace iscsiscope {

enum class SenseGroup : std::uint8_t {
    other,         // a group of its own for each code
    lun_missing,   // no logical unit has this number for this initiator (SPC-4 section 5.2 and annex D)
    space,         // no space is left to store what was written (SBC-3 section 4.7.3.6)
    space_warning, // a threshold of that space was reached (SBC-3 section 4.7.3.7)
    configuration, // UNIT ATTENTION: somebody changed the unit, or which units there are
    path_state,    // asymmetric access states (ALUA; SPC-4 section 5.15)
    miscompare,    // data was not what the command expected
};

// sense: packed() of sense.h. Of a code that is cut only the key counts.
SenseGroup group_of(std::uint32_t sense);

} // namespace iscsiscope
