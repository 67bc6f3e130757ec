// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/time_split.h"

#include "analyzer/report/wording.h"
#include "gui/models/words.h"

#include <QCoreApplication>

#include <algorithm>

namespace iscsiscope::gui {
namespace {

QString tr(const char *text) {
    return QCoreApplication::translate("TimeBars", text);
}

TimeBar finished(TimeBar bar) {
    for (TimeSlice &s : bar.slices) {
        s.share = bar.whole > 0 ? static_cast<double>(s.spent) / static_cast<double>(bar.whole) : 0;
    }
    return bar;
}

TimeBar connectionBar(const TimeShares &t) {
    TimeBar bar{tr("Connections, first command to last status"), to_ns(t.active), {}};
    if (t.transfer > Duration{0}) {
        bar.slices.push_back({"transfer", tr("packets following each other"), colorOf(CycleFigure::data),
                              to_ns(t.transfer), 0, Hatch::none});
    }
    for (std::size_t k = 0; k < gap_kind_count; ++k) {
        if (t.gap_time[k] > Duration{0}) {
            const auto kind = static_cast<GapKind>(k);
            bar.slices.push_back({words(name(kind)), words(explanation(kind)), colorOf(kind),
                                  to_ns(t.gap_time[k]), 0, hatchOf(kind)});
        }
    }
    const auto first = bar.slices.begin() + (t.transfer > Duration{0} ? 1 : 0);
    std::stable_sort(first, bar.slices.end(),
                     [](const TimeSlice &a, const TimeSlice &b) { return a.spent > b.spent; });
    return finished(std::move(bar));
}

TimeBar phaseBar(const TypeTally &t, const QString &title) {
    TimeBar bar{title, 0, {}};
    for (const CycleFigure f : phase_figures) {
        const std::int64_t sum = t.of(f).sum();
        if (sum > 0) {
            bar.slices.push_back({words(name(f)), words(explanation(f)), colorOf(f), sum, 0, Hatch::none});
            bar.whole += sum;
        }
    }
    return finished(std::move(bar));
}

} // namespace

std::vector<TimeBar> timeBars(const Report &report) {
    std::vector<TimeBar> bars;
    bars.push_back(connectionBar(report.time));
    bars.push_back(phaseBar(report.types[static_cast<std::size_t>(TaskType::read)], tr("Read cycles")));
    bars.push_back(phaseBar(report.types[static_cast<std::size_t>(TaskType::write)], tr("Write cycles")));
    bars.erase(std::remove_if(bars.begin(), bars.end(), [](const TimeBar &b) { return b.whole <= 0; }),
               bars.end());
    return bars;
}

} // namespace iscsiscope::gui
