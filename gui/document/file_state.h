// SPDX-License-Identifier: GPL-2.0-or-later
// State of a capture that is kept when the program ends: the view in the user's settings, the marks in a file
// beside the capture, so that they are moved with it.
#pragma once

#include "gui/document/stores/time_scale.h"

#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace iscsiscope::gui {

struct Mark;

// Range and filters are not kept: they change the figures, which only the user may do.
void saveView(const QString &file, Interval view);
std::optional<Interval> loadView(const QString &file);

// Writes FILE.marks.json, or removes it if there are no marks. Returns a sentence if it cannot be written.
std::optional<QString> saveMarks(const QString &file, const std::vector<Mark> &);
std::vector<Mark> loadMarks(const QString &file); // entries that cannot be parsed are left out

// The captures opened last, the latest first.
QStringList recentFiles();
void addRecentFile(const QString &file);
void removeRecentFile(const QString &file);

} // namespace iscsiscope::gui
