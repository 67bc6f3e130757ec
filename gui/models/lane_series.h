// SPDX-License-Identifier: GPL-2.0-or-later
// The lines that the timeline can show below the cycles, each as at most a few points a pixel.
#pragma once

#include "gui/document/snapshot.h"

#include <QColor>
#include <QString>
#include <QVector>

#include <vector>

namespace iscsiscope::gui {

enum class LaneKind : std::uint8_t {
    throughput,
    deviation,
    cwnd,
    rtt,
    queueDelay,
    outstanding,
    commandWindow,
};
inline constexpr std::size_t laneKindCount = 7;
QString laneTitle(LaneKind); // of the axis, with its unit
QString laneName(LaneKind);  // for menus

enum class LineStyle : std::uint8_t { line, steps, points, dashed };

struct LaneLine {
    QString name;
    QColor color;
    LineStyle style = LineStyle::line;
    QVector<double> x, y; // seconds since the origin; y NaN: a break
};

// Everything of the kind that lies in the view; pixels: how many columns there are to draw on.
// sessions: may be null, then lanes that need them are empty.
std::vector<LaneLine> laneLines(LaneKind, const Snapshot &, const SessionFigures *sessions, Interval view,
                                int pixels);

} // namespace iscsiscope::gui
