// SPDX-License-Identifier: GPL-2.0-or-later
// Bars of two separate partitions of time: the connections' active life by transfer and gap kinds, and the
// cycles of each type by phase (docs/figures.md, "Where the time goes").
#pragma once

#include "analyzer/figures/report.h"
#include "gui/models/hatch.h"

#include <QColor>
#include <QString>

#include <vector>

namespace iscsiscope::gui {

struct TimeSlice {
    QString name, explanation; // explanation: the glossary's sentence
    QColor color;
    std::int64_t spent = 0;    // ns
    double share = 0;          // of the bar
    Hatch hatch = Hatch::none; // of idle time
};

struct TimeBar {
    QString title;
    std::int64_t whole = 0;        // ns
    std::vector<TimeSlice> slices; // none of zero length
};

// Returns the bars in the order connections, Reads, Writes; bars without time are left out.
std::vector<TimeBar> timeBars(const Report &);

} // namespace iscsiscope::gui
