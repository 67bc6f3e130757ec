// SPDX-License-Identifier: GPL-2.0-or-later
// Functions that the lines of all lanes share; used only in this folder.
#pragma once

#include "gui/models/timeline/lane_series.h"

namespace iscsiscope::gui {

// Returns seconds since the capture's first frame.
inline double laneSeconds(Time t, const Snapshot &s) {
    return inSeconds(t - s.origin);
}
QString laneTr(const char *text);
// Returns the style of a line: when colours repeat, the next style is used.
LineStyle laneStyleOf(std::size_t line);
// Returns the places of the greatest weights, at most `most`, in ascending order.
std::vector<std::size_t> heaviest(const std::vector<double> &weights, std::size_t most);

// Adds a line with a colour of its own, and the entry of the legend for it.
void addLine(LaneContent &, LaneLine, const QString &key);
// Adds a step of a line that changes by steps, if it lies in the view at least in part.
void addStep(LaneLine &, const Snapshot &, Interval view, Time from, Time to, double value);

// A figure of TCP samples: what it is called, and how it is drawn where a lane shows several.
struct SampleLineKind {
    SampleFigure figure;
    QString name, explanation;
    LineStyle style;
};
// Adds one line for each figure of each direction of each connection. scale: factor from bytes or nanoseconds
// to the lane's unit. aboveMin: the least RTT of the direction is subtracted.
void addSampleLines(LaneContent &, const Snapshot &, const std::vector<SampleLineKind> &, Interval view,
                    int pixels, double scale, bool aboveMin);

// Adds a line for the stream bytes of each connection, and of each session that has several connections, over
// intervals that follow the zoom or are chosen, counted from the capture's first frame; of too many lines,
// sessions and then the connections with the most bytes.
void addThroughput(LaneContent &, const Snapshot &, Interval view, int pixels, const ThroughputChoice &);

} // namespace iscsiscope::gui
