// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QString>

#include <optional>

namespace iscsiscope::gui {

// Tries whether Qt can open a window here, in a child process, since Qt ends the program where it cannot. It
// must be called before the application object is made and before there are threads. Returns what is wrong,
// as part of a sentence ("DISPLAY is :9, which does not answer"); empty: nothing is.
std::optional<QString> displayMistake(int argc, char **argv);

} // namespace iscsiscope::gui
