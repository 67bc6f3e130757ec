// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace iscsiscope::testbed::papers {

// `iscsiscope-testbed papers [NAME…] [--quick] -o DIR`: argv[0] is "papers". Exit code: 0 done, 1 done but
// a run was not valid, 2 usage or set-up error, 130 interrupted.
int papers_main(int argc, char **argv);

} // namespace iscsiscope::testbed::papers
