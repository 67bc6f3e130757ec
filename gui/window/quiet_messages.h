// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace iscsiscope::gui {

// For runs without a window: drops Qt's messages about the platform, which do not concern the picture. All
// other messages go to standard error behind the program's name.
void quietPlatformMessages();

} // namespace iscsiscope::gui
