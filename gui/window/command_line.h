// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace iscsiscope::gui {

// Runs the program. Returns the exit code: 0 done, 2 usage error, unreadable input or no display.
int runProgram(int argc, char **argv);

} // namespace iscsiscope::gui
