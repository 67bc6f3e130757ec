// SPDX-License-Identifier: GPL-2.0-or-later
// How two captures that are opened together belong together, as their frames say it
// (analyzer/pipeline/relation).
#pragma once

#include "analyzer/pipeline/relation/capture_relation.h"
#include "gui/document/background.h"

#include <QObject>
#include <QStringList>

#include <variant>

namespace iscsiscope::gui {

struct Suggestion {
    CaptureRelation relation{};
    QString reason; // a sentence
};

// Reads the first frames of both files; for a worker thread. Returns a sentence if one cannot be read.
std::variant<Suggestion, QString> suggestTogether(const QString &first, const QString &second,
                                                  const std::atomic<bool> &stop);

} // namespace iscsiscope::gui
