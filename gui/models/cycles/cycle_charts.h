// SPDX-License-Identifier: GPL-2.0-or-later
// Data of the charts beside the table of cycles: response time or LBA over time, as points or, where there
// are many, as density; the distribution of response times as histogram and cumulated.
#pragma once

#include "gui/document/document.h"

#include <QVector>

namespace iscsiscope::gui {

enum class ChartKind : std::uint8_t { scatter, heatMap, histogram, cdf, lba };

// Counts of cycles in cells of a grid; rows go with the logarithm of response time, or linearly with LBA.
struct DensityGrid {
    int columns = 0, rows = 0;
    double x0 = 0, x1 = 1, y0 = 0, y1 = 1; // seconds since the origin; log10 of milliseconds, or LBA
    std::vector<std::uint32_t> counts;     // row by row from y0
    std::uint32_t most = 0;
};

struct ChartData {
    ChartKind kind{};
    // scatter, lba: points by type of task (reads, writes, control), if few enough; else the grid.
    std::array<QVector<double>, 3> x, y;
    bool asPoints = false;
    DensityGrid grid;
    std::array<std::vector<Row>, 3> rows; // of the points
    // histogram: cycles in each class, x the class's lower edge in ms, at the end 0 and the last one's upper
    // edge; cdf: x in ms, y 0..1. By type.
    int firstClass = 0;       // response class of the first x of histogram or CDF
    int classStep = 1;        // response classes in each step of it
    std::uint64_t cycles = 0; // cycles in the chart
    double classRatio = 1;    // histogram: upper over lower edge
};

inline constexpr std::size_t maxPoints = 20'000;

// Makes the chart of the rows: over time of those whose cycles end in the view, of distributions of all,
// since zooming changes no figure. For a worker thread.
ChartData makeChart(ChartKind, const Snapshot &, const std::vector<Row> &, Interval view,
                    const std::atomic<bool> &stop);

} // namespace iscsiscope::gui
