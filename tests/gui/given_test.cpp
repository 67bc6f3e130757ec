// SPDX-License-Identifier: GPL-2.0-or-later
// Figures that cannot be, in what the views show of any capture: of those that tests/damage/property.py
// names, one a line, in ISCSISCOPE_GIVEN; else of the bundled ones.
#include "catch.h"
#include "gui/models/session_tree_model.h"
#include "gui/models/time_split.h"
#include "gui/models/timeline/lane_series.h"
#include "support.h"

#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace iscsiscope;
using namespace iscsiscope::gui;

namespace {

struct Looked {
    std::size_t figures = 0;
    QStringList wrong;

    void take(bool can_be, const QString &words) {
        ++figures;
        if (!can_be && wrong.size() < 20)
            wrong << words;
    }
};

void lookAtLanes(const Snapshot &s, Looked &looked) {
    const auto &sessions = s.report->session_figures;
    const double span = static_cast<double>(to_ns(s.whole.length())) / 1e9;
    double widest = 0; // command window
    if (sessions)
        for (const WindowFigures &w : sessions->windows)
            widest = std::max(widest, static_cast<double>(w.largest));
    for (std::size_t k = 0; k < laneKindCount; ++k) {
        const auto kind = static_cast<LaneKind>(k);
        for (const LaneLine &line :
             laneContent(kind, s, sessions ? &*sessions : nullptr, s.whole, 1000).lines) {
            for (qsizetype i = 0; i < line.x.size(); ++i) {
                const double x = line.x[i], y = line.y[i];
                const QString words = QString("%1, %2: %3 at %4 s of %5 s")
                                          .arg(laneName(kind), line.name)
                                          .arg(y)
                                          .arg(x)
                                          .arg(span);
                looked.take(x >= -1e-9 && x <= span * (1 + 1e-9) + 1e-9, words);
                if (!std::isnan(y)) // a break
                    looked.take(std::isfinite(y) && y >= 0, words);
                if (kind == LaneKind::commandWindow)
                    looked.take(std::isnan(y) || y <= widest * (1 + 1e-9), words);
                if (kind == LaneKind::rtt || kind == LaneKind::queueDelay) // milliseconds
                    looked.take(std::isnan(y) || y <= span * 1e3 + 1e-6, words);
            }
        }
    }
}

void lookAtBar(const TimeBar &bar, Looked &looked) {
    double shares = 0;
    Duration spent{};
    for (const TimeSlice &slice : bar.slices) {
        looked.take(slice.spent >= Duration{} && slice.share >= 0 && slice.share <= 1 + 1e-9,
                    bar.title + ": " + slice.name);
        shares += slice.share;
        spent += slice.spent;
    }
    looked.take(shares <= 1 + 1e-6 && spent <= bar.whole, bar.title);
}

void lookAtTree(const SessionTreeModel &tree, const QModelIndex &parent, Duration span, Looked &looked) {
    static const QRegularExpression impossible("^-\\d|nan|inf", QRegularExpression::CaseInsensitiveOption);
    for (int row = 0; row < tree.rowCount(parent); ++row) {
        for (int column = SessionTreeModel::Tasks; column < SessionTreeModel::Spark; ++column) {
            const QModelIndex at = tree.index(row, column, parent);
            const QString words = at.data().toString();
            looked.take(!words.contains(impossible),
                        tree.headerData(column, Qt::Horizontal).toString() + " " + words);
        }
        const auto raw = [&](int column) {
            return tree.index(row, column, parent).data(SessionTreeModel::RawRole);
        };
        for (const int column : {SessionTreeModel::Median, SessionTreeModel::P99})
            looked.take(!raw(column).isValid() ||
                            (raw(column).toLongLong() >= 0 && raw(column).toLongLong() <= to_ns(span)),
                        "response time of the tree");
        looked.take(!raw(SessionTreeModel::Idle).isValid() || (raw(SessionTreeModel::Idle).toDouble() >= 0 &&
                                                               raw(SessionTreeModel::Idle).toDouble() <= 1),
                    "idle share of the tree");
        lookAtTree(tree, tree.index(row, 0, parent), span, looked);
    }
}

} // namespace

TEST_CASE("What is shown of given captures can be", "[given]") {
    QStringList files = qEnvironmentVariable("ISCSISCOPE_GIVEN").split('\n', Qt::SkipEmptyParts);
    if (files.isEmpty())
        files = bundledCaptures();
    std::size_t figures = 0;
    for (const QString &file : files) {
        INFO(file.toStdString());
        Document d;
        d.setRemembers(false);
        const SessionTreeModel tree(d);
        REQUIRE(openAndWait(d, {file}));
        const Snapshot &s = *d.snapshot();
        Looked looked;
        lookAtLanes(s, looked);
        for (const TimeBar &bar : timeBars(*s.report))
            lookAtBar(bar, looked);
        lookAtBar(ownerBar(*s.report), looked);
        lookAtTree(tree, {}, s.whole.length(), looked);
        INFO(looked.wrong.join('\n').toStdString());
        CHECK(looked.wrong.isEmpty());
        figures += looked.figures;
    }
    std::printf("FIGURE: looked at in the views: %zu\n", figures);
}
