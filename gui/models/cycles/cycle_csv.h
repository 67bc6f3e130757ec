// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "gui/document/snapshot.h"

#include <atomic>
#include <optional>

namespace iscsiscope::gui {

// Writes the rows as `iscsiscope cycles` does. For a worker thread: share goes from 0 to 1, stop ends it.
// Returns a sentence if the file could not be written; then no part of it remains.
std::optional<QString> writeCyclesCsv(const Snapshot &, const std::vector<Row> &, const QString &path,
                                      const std::atomic<bool> &stop, std::atomic<double> &share);

// Returns the message on a file whose writing the user cancelled.
QString cancelledWords(const QString &path);

} // namespace iscsiscope::gui
