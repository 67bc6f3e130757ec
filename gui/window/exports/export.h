// SPDX-License-Identifier: GPL-2.0-or-later
// Writes pictures of a view as PNG, SVG or PDF, by the file's ending.
#pragma once

#include <QString>
#include <QWidget>

#include <optional>

namespace iscsiscope::gui {

// Plots are drawn as lines and text in SVG and PDF. Returns a sentence if the file cannot be written.
std::optional<QString> exportPicture(QWidget &view, const QString &path);

} // namespace iscsiscope::gui
