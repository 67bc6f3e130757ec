// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace iscsiscope {

// Whether the TCP analysis takes its short ways (docs/short-ways.md). They are left out by tests only, which
// hold the results of both against each other.
enum class ShortWays : bool { left_out, taken };

} // namespace iscsiscope
