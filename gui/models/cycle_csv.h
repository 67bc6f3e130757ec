// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "gui/document/snapshot.h"

#include <atomic>
#include <optional>

namespace iscsiscope::gui {

// The rows as `iscsiscope cycles` writes them. For a worker thread: share goes from 0 to 1, stop ends it. A
// sentence if the file is not there in the end: then nothing of it is left.
std::optional<QString> writeCyclesCsv(const Snapshot &, const std::vector<Row> &, const QString &path,
                                      const std::atomic<bool> &stop, std::atomic<double> &share);

// What is said of a file that the user no longer wanted.
QString cancelledWords(const QString &path);

} // namespace iscsiscope::gui
