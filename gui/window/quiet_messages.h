// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace iscsiscope::gui {

// For runs without a window: Qt's remarks on the surroundings, which say nothing of the picture, are left
// out; every other message goes to standard error behind the program's name.
void quietPlatformMessages();

} // namespace iscsiscope::gui
