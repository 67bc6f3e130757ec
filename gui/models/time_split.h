// SPDX-License-Identifier: GPL-2.0-or-later
// Bars of three separate partitions of time: the connections' busy time by owner, their active life by
// transfer and gap kinds, and the cycles of each type by phase (docs/figures.md, "Where the time goes").
#pragma once

#include "analyzer/figures/report.h"
#include "gui/models/hatch.h"

#include <QColor>
#include <QString>

#include <string_view>
#include <vector>

namespace iscsiscope::gui {

struct TimeSlice {
    std::string_view key;      // "transfer", or the name of the owner, gap kind or phase
    QString name, explanation; // explanation: the glossary's sentence
    QColor color;
    Duration spent{};
    double share = 0;          // of the bar
    Hatch hatch = Hatch::none; // of idle time
};

struct TimeBar {
    QString title;
    Duration whole{};
    std::vector<TimeSlice> slices; // none of zero length
};

// Returns the bar of the busy time, in the order of Owner; its `whole` is 0 if no busy time has an owner.
TimeBar ownerBar(const Report &);
// States the busy time and the shares of its owners in one line; empty if it is not known.
QString busyWords(const ActiveTime &);
// Returns the other bars in the order connections, Reads, Writes; bars without time are left out.
std::vector<TimeBar> timeBars(const Report &);

} // namespace iscsiscope::gui
