// SPDX-License-Identifier: GPL-2.0-or-later
// Pictures of a view as PNG, SVG or PDF, by the file's ending.
#pragma once

#include <QString>
#include <QWidget>

#include <optional>

namespace iscsiscope::gui {

// Plots as lines and text in SVG and PDF. A sentence if it cannot be written.
std::optional<QString> exportPicture(QWidget &view, const QString &path);

} // namespace iscsiscope::gui
