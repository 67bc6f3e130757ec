// SPDX-License-Identifier: GPL-2.0-or-later
// The target on a TCP port: listens, serves until SIGTERM or SIGINT, ends cleanly.
#pragma once

#include "sample-captures/testbed/target/config/target_config.h"
#include "sample-captures/testbed/target/scsi/logical_units.h"

namespace iscsiscope::testbed {

// Prints "ready ADDRESS:PORT NAME" on standard output once it listens; everything else goes to standard
// error. Returns the exit code: 0 ended by a signal, 1 the truth file could not be written, 2 it could
// not begin (port taken, socket option refused).
int serve(const TargetConfig &, LogicalUnits &);

} // namespace iscsiscope::testbed
