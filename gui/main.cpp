// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/window/command_line.h"

int main(int argc, char **argv) {
    return iscsiscope::gui::runProgram(argc, argv);
}
