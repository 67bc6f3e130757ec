// SPDX-License-Identifier: GPL-2.0-or-later
// Shares as sentences have them.
#pragma once

#include <string>

namespace iscsiscope {

// Returns "12 %", "3.4 %", "99.6 %": without decimals from 10 to 99. share: 0..1.
std::string rough_share(double share);

} // namespace iscsiscope
