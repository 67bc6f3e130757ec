// SPDX-License-Identifier: GPL-2.0-or-later
// What the main window remembers over a restart, in the user's settings: geometry, the view in front,
// splitters, the columns of the cycles and of other tables (choice, order, widths), the lines below the
// timeline, the panels. Columns and lines are kept by name, so that a version with others finds those that it
// still has.
#pragma once

namespace iscsiscope::gui {

class MainWindow;

void saveLayout(MainWindow &);
void restoreLayout(MainWindow &);

} // namespace iscsiscope::gui
