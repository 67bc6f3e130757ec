// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "gui/document/report_maker.h"

namespace iscsiscope::gui {

// The HTML report that `iscsiscope report --format html` writes; reads the files once more. For a worker
// thread: share goes from 0 to 1, stop ends it. A sentence if the file is not there in the end.
std::optional<QString> writeHtmlReport(const FigureRequest &, const QString &path,
                                       const std::atomic<bool> &stop, std::atomic<double> &share);

} // namespace iscsiscope::gui
