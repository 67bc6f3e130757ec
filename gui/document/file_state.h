// SPDX-License-Identifier: GPL-2.0-or-later
// What is remembered of a capture from one day to the next: the view in the user's settings, marks in
// a file beside the capture, so that they go with it.
#pragma once

#include "gui/document/stores/time_scale.h"

#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace iscsiscope::gui {

struct Mark;

// Range and filters are not: they change the numbers, and numbers change only when the user says so.
void saveView(const QString &file, Interval view);
std::optional<Interval> loadView(const QString &file);

// FILE.marks.json. A sentence if it cannot be written. Without marks the file goes.
std::optional<QString> saveMarks(const QString &file, const std::vector<Mark> &);
std::vector<Mark> loadMarks(const QString &file); // what is not understood is left out

// The captures opened last, the latest first.
QStringList recentFiles();
void addRecentFile(const QString &file);

} // namespace iscsiscope::gui
