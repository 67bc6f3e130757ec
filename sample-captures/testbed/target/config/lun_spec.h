// SPDX-License-Identifier: GPL-2.0-or-later
// --lun KIND:ARGUMENT[,key=value…] made into a logical unit.
#pragma once

#include "analyzer/base/result.h"
#include "sample-captures/testbed/target/scsi/logical_units.h"

#include <cstdint>
#include <string>

namespace iscsiscope::testbed {

struct NumberedUnit {
    std::uint16_t number = 0;
    LogicalUnit unit;
};

// default_number: where the specification has no lun=. A failure names the mistake.
Result<NumberedUnit> make_unit(const std::string &specification, std::uint16_t default_number,
                               const std::string &target_name, std::uint64_t seed);

} // namespace iscsiscope::testbed
