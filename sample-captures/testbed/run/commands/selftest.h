// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace iscsiscope::testbed::run {

// Measures, with the carriers this user may use, what the shim promises, and prints tables. 0: all
// within the stated bounds; 1: not; 2: no carrier can be had. `quick`: fewer points, one repetition.
int selftest_shim(bool quick, bool force_user_namespace);

} // namespace iscsiscope::testbed::run
