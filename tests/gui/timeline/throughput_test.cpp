// SPDX-License-Identifier: GPL-2.0-or-later
// The lane of throughput, held against the command line.
#include "catch.h"
#include "gui/models/timeline/lane_series.h"
#include "support.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <cmath>
#include <cstdio>
#include <map>

using namespace iscsiscope;
using namespace iscsiscope::gui;

TEST_CASE("The lanes of throughput integrate to the bytes that passed, at any zoom and in cut captures") {
    QStringList files = {sample("mcs-unequal.initiator.pcapng.zst")};
    for (const QString &file : realCaptures())
        if (file.contains("n_cwnd_write_reno_20mbit") || file.contains("h_read_4MiB_snap128") ||
            file.contains("l_blackout_noop_relogin"))
            files << file;
    int zooms = 0;
    for (const QString &file : files) {
        Document d;
        d.setRemembers(false);
        REQUIRE(openAndWait(d, {file}));
        const Snapshot &s = *d.snapshot();
        const QJsonObject rates = QJsonDocument::fromJson(commandLine({"report", file, "--format", "json"}))
                                      .object()["rates"]
                                      .toObject();
        double all = 0;
        for (const auto &[key, series] : s.tables.passed)
            all += static_cast<double>(series.total());
        CHECK(all == rates["both"].toObject()["wire_bytes"].toDouble());
        const double origin = inSeconds(s.whole.from - s.origin);
        for (const int zoom : {1, 2, 5, 20, 100}) {
            // The view lies in the middle of the capture.
            const Duration length = s.whole.length() / zoom;
            const Time from = s.whole.from + (s.whole.length() - length) / 2;
            const Interval view{from, from + length};
            INFO(file.toStdString() << ", zoom " << zoom);
            const LaneContent lane = laneContent(LaneKind::throughput, s, nullptr, view, 1003);
            std::map<QString, double> integrals;
            Interval drawn = view;
            for (const LaneLine &l : lane.lines) {
                REQUIRE(l.x.size() % 2 == 0); // steps
                CHECK(l.x.size() <= 2 * (1003 / 4 + 2));
                for (qsizetype i = 0; i < l.x.size(); i += 2)
                    integrals[l.name] += l.y[i] * 1e6 * (l.x[i + 1] - l.x[i]);
                // Whole intervals, whose ends may lie outside of the view.
                REQUIRE(lane.interval.has_value());
                const double step = inSeconds(*lane.interval);
                const double first = inSeconds(view.from - s.origin), last = inSeconds(view.to - s.origin);
                CHECK(l.x.front() <= first + 1e-9);
                CHECK(l.x.front() > first - step - 1e-9);
                CHECK(l.x.back() >= last - 1e-9);
                CHECK(l.x.back() < last + step + 1e-9);
                const double pixels = step * 1003 * 1e9 / inNs(view.length());
                CHECK(pixels == Approx(std::round(pixels))
                                    .epsilon(1e-3)
                                    .margin(*lane.interval <= std::chrono::microseconds{1}));
                drawn = {s.origin + Duration{std::llround(l.x.front() * 1e9)},
                         s.origin + Duration{std::llround(l.x.back() * 1e9)}};
            }
            // What the command line states for the range of the view.
            std::map<QString, double> passed;
            for (const auto &[key, series] : s.tables.passed)
                passed[QString("connection %1").arg(key.stream.number)] +=
                    static_cast<double>(series.before(drawn.to) - series.before(drawn.from));
            REQUIRE_FALSE(passed.empty());
            for (const auto &[name, bytes] : passed) {
                REQUIRE(integrals.contains(name));
                CHECK(integrals[name] == Approx(bytes).epsilon(0.005).margin(1));
            }
            const QByteArray range = QString("%1..%2")
                                         .arg(origin + inSeconds(drawn.from - s.whole.from), 0, 'f', 9)
                                         .arg(origin + inSeconds(drawn.to - s.whole.from), 0, 'f', 9)
                                         .toLatin1();
            const QJsonObject wire =
                QJsonDocument::fromJson(commandLine({"report", file, "--format", "json", "--range", range}))
                    .object()["rates"]
                    .toObject()["wire"]
                    .toObject();
            double sum = 0;
            for (const auto &[name, bytes] : passed)
                sum += integrals[name];
            CHECK(sum == Approx(wire["bytes_to_target"].toDouble() + wire["bytes_to_initiator"].toDouble())
                             .epsilon(0.005)
                             .margin(3000)); // two segments at the range's edges
            ++zooms;
        }
    }
    std::printf("FIGURE: views whose throughput lanes integrate to the bytes that passed: %d\n", zooms);
}
