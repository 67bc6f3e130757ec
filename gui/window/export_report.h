// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "gui/document/report_maker.h"

namespace iscsiscope::gui {

// The same HTML page as `iscsiscope report --format html` writes. Takes as long as reading the capture:
// for worker threads. A sentence if it fails.
std::optional<QString> writeHtmlReport(const FigureRequest &, const QString &path,
                                       const std::atomic<bool> &stop);

} // namespace iscsiscope::gui
