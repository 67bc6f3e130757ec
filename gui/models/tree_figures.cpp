// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/tree_figures.h"

#include <algorithm>

namespace iscsiscope::gui {

void TreeTally::add(const CycleStore &cycles, Row row, Interval interval) {
    Tally::add(cycles.bytesMoved(row), cycles.outcome(row), cycles.responseTime(row));
    if (cycles.type(row) != TaskType::control)
        data.add(cycles.bytesMoved(row), cycles.outcome(row));
    const double place =
        inNs(cycles.end(row) - interval.from) / inNs(std::max(interval.length(), Duration{1}));
    const auto slot =
        static_cast<std::size_t>(std::clamp(place, 0.0, 0.999999) * static_cast<double>(sparkPoints));
    spark[slot] += cycles.bytesMoved(row);
}

std::shared_ptr<const TreeFigures> TreeFigures::build(const Snapshot &s, const std::vector<Row> &rows,
                                                      Interval interval, const std::atomic<bool> &stop) {
    auto f = std::make_shared<TreeFigures>();
    f->interval = interval;
    const CycleStore &cycles = s.tables.cycles;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i % 4096 == 0 && stop)
            break;
        const Row row = rows[i];
        f->sessions[cycles.session(row)].add(cycles, row, interval);
        f->streams[cycles.stream(row)].add(cycles, row, interval);
        f->luns[{cycles.stream(row), cycles.lun(row)}].add(cycles, row, interval);
    }
    return f;
}

} // namespace iscsiscope::gui
