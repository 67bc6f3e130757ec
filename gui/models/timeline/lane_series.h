// SPDX-License-Identifier: GPL-2.0-or-later
// The lines that the timeline can show below the cycles, each as at most a few points a pixel.
#pragma once

#include "gui/document/snapshot.h"

#include <QColor>
#include <QString>
#include <QVector>

#include <optional>
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
QString laneTitle(LaneKind);   // of the axis, with its unit
QString laneName(LaneKind);    // for menus
QString laneMeaning(LaneKind); // the glossary's sentence

enum class LineStyle : std::uint8_t { line, points, dashed, dotted };

struct LaneLine {
    QString name;
    QColor color;
    LineStyle style = LineStyle::line;
    QVector<double> x, y; // seconds since the origin; y NaN: a break
};

// What a line's colour or style stands for, as short as it can be.
struct LaneKey {
    QString text, explanation;
    std::optional<QColor> color; // empty: the style alone
    LineStyle style = LineStyle::line;
    std::vector<std::size_t> lines; // that have it
};

struct LaneContent {
    std::vector<LaneLine> lines;
    std::vector<LaneKey> keys;
    std::size_t leftOut = 0; // lines beyond mostLines: those of least weight (samples, bytes)
};

inline constexpr std::size_t mostLines = 24; // more cannot be told apart

// Everything of the kind that lies in the view; pixels: how many columns there are to draw on.
// sessions: may be null, then lanes that need them are empty.
LaneContent laneContent(LaneKind, const Snapshot &, const SessionFigures *sessions, Interval view,
                        int pixels);

// The value of a line of this kind with its unit.
QString laneValueWords(LaneKind, double y);

} // namespace iscsiscope::gui
