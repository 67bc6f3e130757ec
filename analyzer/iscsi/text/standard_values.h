// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace iscsiscope {

// Returns the value with everything replaced by `hidden` that the RFCs do not name as a value of the key:
// other numbers than those of its range, other words than those of its list. A key whose values name
// something of a site (InitiatorName, TargetAddress...) and an unknown key have no such values.
std::string only_standard_value(std::string_view key, std::string_view value, std::string_view hidden);

} // namespace iscsiscope
