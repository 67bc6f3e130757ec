// SPDX-License-Identifier: GPL-2.0-or-later
// The lines that the timeline can show below the cycles, with at most a few points for each pixel.
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

// An entry of the legend: the meaning of a line's colour or style, in few words.
struct LaneKey {
    QString text, explanation;
    std::optional<QColor> color; // empty: the style alone
    LineStyle style = LineStyle::line;
    std::vector<std::size_t> lines; // that have it
};

// A part of a lane that is drawn as such: an interval that the capture's end cuts short.
struct LanePart {
    double from = 0, to = 0; // seconds since the origin
    QString words;
};

struct LaneContent {
    std::vector<LaneLine> lines;
    std::vector<LaneKey> keys;
    std::size_t leftOut = 0;          // lines beyond maxLines: those of least weight (samples, bytes)
    std::optional<Duration> interval; // of throughput: the length of each step
    std::vector<LanePart> parts;
};

inline constexpr std::size_t maxLines = 24; // more could not be distinguished

// How throughput is counted.
struct ThroughputChoice {
    std::optional<Duration> interval; // empty: a few pixels each
    friend bool operator==(const ThroughputChoice &, const ThroughputChoice &) = default;
};

// Returns the lines of this kind within the view; pixels: width of the picture. sessions may be null; lanes
// that need them are then empty.
LaneContent laneContent(LaneKind, const Snapshot &, const SessionFigures *sessions, Interval view, int pixels,
                        const ThroughputChoice & = {});

// Returns the value of a line of this kind with its unit.
QString laneValueWords(LaneKind, double y);

} // namespace iscsiscope::gui
