// SPDX-License-Identifier: GPL-2.0-or-later
// Parts that the lines of all lanes share; not for other rooms.
#pragma once

#include "gui/models/timeline/lane_series.h"

namespace iscsiscope::gui {

// Seconds since the capture's first frame.
inline double laneSeconds(std::int64_t t, const Snapshot &s) {
    return static_cast<double>(t - s.origin) / 1e9;
}
QString laneTr(const char *text);
// Colours come round again: then in another style.
LineStyle laneStyleOf(std::size_t line);
// The places of the heaviest, at most `most`, in their order.
std::vector<std::size_t> heaviest(const std::vector<double> &weights, std::size_t most);

// A figure of TCP samples: what it is called, and how it is drawn where a lane shows several.
struct SampleLineKind {
    SampleFigure figure;
    QString name, explanation;
    LineStyle style;
};
// One line for each figure of each direction of each connection. scale: from bytes or nanoseconds to the
// lane's unit. aboveLeast: less the least RTT of the direction.
void addSampleLines(LaneContent &, const Snapshot &, const std::vector<SampleLineKind> &, Interval view,
                    int pixels, double scale, bool aboveLeast);

} // namespace iscsiscope::gui
