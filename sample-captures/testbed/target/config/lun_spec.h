// SPDX-License-Identifier: GPL-2.0-or-later
// --lun KIND:ARGUMENT[,key=value…] made into a logical unit.
#pragma once

#include "sample-captures/testbed/target/scsi/logical_units.h"

#include <cstdint>
#include <optional>
#include <string>

namespace iscsiscope::testbed {

struct NumberedUnit {
    std::uint16_t number = 0;
    LogicalUnit unit;
};

// default_number: where the specification has no lun=. nullopt with a sentence in error that names
// the mistake.
std::optional<NumberedUnit> make_unit(const std::string &specification, std::uint16_t default_number,
                                      const std::string &target_name, std::uint64_t seed, std::string &error);

} // namespace iscsiscope::testbed
