// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace iscsiscope::testbed {

// `iscsiscope-testbed initiator …`; argv[0] is the sub-command's name. Report on standard output,
// messages and progress on standard error. Catches SIGINT and SIGTERM while it runs and leaves them as
// they were. Exit status: 0 done; 1 data wrong, a command failed, peer lost or interrupted; 2 usage
// error, cannot connect, log in or write the truth file's beginning.
int initiator_main(int argc, char **argv);

} // namespace iscsiscope::testbed
