// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/selftest.h"
namespace iscsiscope::testbed::run {
int selftest_shim(bool, bool) { return 2; }
} // namespace iscsiscope::testbed::run
