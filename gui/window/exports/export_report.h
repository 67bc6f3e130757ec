// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "gui/document/report_maker.h"

namespace iscsiscope::gui {

// Writes the HTML report of `iscsiscope report --format html`, for which it reads the files once more in a
// worker thread: share goes from 0 to 1, stop ends it. Returns a sentence if the file was not written.
std::optional<QString> writeHtmlReport(const FigureRequest &, const QString &path,
                                       const std::atomic<bool> &stop, std::atomic<double> &share);

} // namespace iscsiscope::gui
