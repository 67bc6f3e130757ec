// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/time_split.h"

#include "analyzer/figures/shares.h"
#include "analyzer/figures/totals.h"
#include "analyzer/words/kind_words.h"
#include "gui/models/words.h"

#include <QCoreApplication>

#include <algorithm>

namespace iscsiscope::gui {
namespace {

QString timeBarText(const char *text) {
    return QCoreApplication::translate("TimeBars", text);
}

TimeBar connectionBar(const Report &report) {
    const ActiveTime &life = report.time;
    const std::uint64_t count = connection_count(report);
    TimeBar bar{!report.filter.empty() ? timeBarText("Busy time of the filtered cycles")
                : count == 1
                    ? timeBarText("Connection, first command to last status")
                    : timeBarText("All %1 connections together, first command to last status").arg(count),
                life.active,
                {}};
    auto parts = longest_first(time_shares(life));
    std::stable_partition(parts.begin(), parts.end(), [](const TimeShare &s) { return !s.kind; });
    for (const TimeShare &s : parts) {
        bar.slices.push_back({s.name, words(explanation(s.kind)),
                              meaningOf(s.kind ? "gap." + std::string(s.name) : "transfer"),
                              s.kind ? colorOf(*s.kind) : colorOf(CycleFigure::data), s.time, s.share,
                              s.kind ? hatchOf(*s.kind) : Hatch::none});
    }
    return bar;
}

TimeBar phaseBar(const TypeTally &t, const QString &title) {
    const auto parts = phase_shares(t);
    TimeBar bar{title, whole(parts), {}};
    for (const PhaseShare &s : parts) {
        if (s.time > Duration{0}) {
            bar.slices.push_back({s.name, words(explanation(s.kind)),
                                  meaningOf("phase." + std::string(s.name)), colorOf(s.kind), s.time, s.share,
                                  Hatch::none});
        }
    }
    return bar;
}

} // namespace

TimeBar ownerBar(const Report &report) {
    const ActiveTime &life = report.time;
    TimeBar bar{life.busy_at_least ? timeBarText("Busy time by owner, at least")
                                   : timeBarText("Busy time by owner"),
                life.owners.sum(),
                {}};
    for (const OwnerShare &s : owner_shares(life.owners)) {
        if (s.time <= Duration{0})
            continue;
        QString explanation = meaningOf("owner." + std::string(s.name));
        if (s.kind == Owner::network)
            explanation +=
                '\n' +
                timeBarText(
                    "%1 of it: queues and retransmissions, which the propagation delay does not explain.")
                    .arg(durationWords(life.owners.trouble));
        bar.slices.push_back(
            {s.name, words(s.name), explanation, colorOf(s.kind), s.time, s.share, Hatch::none});
    }
    return bar;
}

QString busyWords(const ActiveTime &life) {
    const auto share = busy_share(life);
    if (!share)
        return {};
    QStringList parts;
    for (const OwnerShare &s : longest_first(owner_shares(life.owners)))
        parts << words(s.name) + ' ' + shareWords(s.share);
    const QString text =
        life.without_task == Duration{} // of a filter's cycles, for example
            ? timeBarText("Busy for %1").arg(durationWords(life.busy))
            : timeBarText("Busy for %1 (%2)").arg(durationWords(life.busy), shareWords(*share));
    return parts.empty() ? text : text + ": " + parts.join(", ");
}

std::vector<TimeBar> timeBars(const Report &report) {
    std::vector<TimeBar> bars;
    bars.push_back(connectionBar(report));
    bars.push_back(phaseBar(report.of(TaskType::read), timeBarText("Read cycles")));
    bars.push_back(phaseBar(report.of(TaskType::write), timeBarText("Write cycles")));
    bars.erase(
        std::remove_if(bars.begin(), bars.end(), [](const TimeBar &b) { return b.whole <= Duration{}; }),
        bars.end());
    return bars;
}

} // namespace iscsiscope::gui
