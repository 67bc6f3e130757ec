// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/lane_series.h"

#include "gui/models/words.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace iscsiscope::gui {
namespace {

constexpr std::size_t mostLines = 24; // more cannot be told apart

QString tr(const char *text) {
    return QCoreApplication::translate("Lanes", text);
}

double seconds(std::int64_t t, const Snapshot &s) {
    return static_cast<double>(t - s.origin) / 1e9;
}

// Rows of a series that reach into the view, one more on each side.
std::pair<Row, Row> rowsIn(const SampleSeries &series, Interval v) {
    const auto place = [&](std::int64_t t) {
        Row first = 0, count = static_cast<Row>(series.size());
        while (count > 0) {
            const Row half = count / 2;
            if (series.time(first + half) < t) {
                first += half + 1;
                count -= half + 1;
            } else {
                count = half;
            }
        }
        return first;
    };
    const Row from = place(v.from), to = place(v.to);
    return {from > 0 ? from - 1 : 0, std::min<Row>(to + 1, static_cast<Row>(series.size()))};
}

// Every sample where there are few, least and greatest of runs where there are many.
void fill(LaneLine &line, const Snapshot &s, const SampleSeries &series, const MinMaxPyramid &pyramid,
          SampleFigure f, Interval v, int pixels, double scale) {
    const auto [first, last] = rowsIn(series, v);
    const auto columns = static_cast<std::size_t>(std::max(pixels, 1));
    if (last - first <= 2 * columns) {
        bool gap = false;
        for (Row r = first; r < last; ++r) {
            const auto value = series.value(r, f);
            if (value) {
                line.x << seconds(series.time(r), s);
                line.y << static_cast<double>(*value) * scale;
                gap = false;
            } else if (!gap) {
                line.x << seconds(series.time(r), s);
                line.y << std::nan("");
                gap = true; // never a line across what is not known
            }
        }
        return;
    }
    const std::size_t level = pyramid.levelFor(v.from, v.to, columns);
    if (level >= pyramid.levels()) {
        return;
    }
    const auto [a, b] = pyramid.nodesIn(level, v.from, v.to);
    // Of the nodes in one pixel column the least and greatest: two points a column.
    const double width = static_cast<double>(v.length()) / static_cast<double>(columns);
    std::int64_t column = std::numeric_limits<std::int64_t>::min();
    MinMaxNode merged;
    const auto flush = [&] {
        if (column == std::numeric_limits<std::int64_t>::min()) {
            return;
        }
        const double x = seconds(merged.start, s);
        if (merged.empty()) {
            line.x << x;
            line.y << std::nan("");
        } else {
            line.x << x << x;
            line.y << static_cast<double>(merged.least) * scale
                   << static_cast<double>(merged.greatest) * scale;
        }
    };
    for (std::size_t i = a; i < b; ++i) {
        const MinMaxNode &n = pyramid.level(level)[i];
        const auto c = static_cast<std::int64_t>(static_cast<double>(n.start - v.from) / width);
        if (c != column) {
            flush();
            column = c;
            merged = n;
        } else {
            merged.least = std::min(merged.least, n.least);
            merged.greatest = std::max(merged.greatest, n.greatest);
        }
    }
    flush();
}

QString directionWords(PduDirection d) {
    return d == PduDirection::to_target ? tr("to target") : tr("to initiator");
}

void addSamples(std::vector<LaneLine> &lines, const Snapshot &s, SampleFigure f, const QString &what,
                Interval v, int pixels, double scale, LineStyle style) {
    std::size_t color = 0;
    for (const auto &[key, series] : s.tables.samples) {
        const auto pyramids = s.pyramids->series.find(key);
        if (series.size() < 2 || pyramids == s.pyramids->series.end()) {
            continue;
        }
        if (lines.size() >= mostLines) {
            return;
        }
        LaneLine line;
        line.name = tr("%1, connection %2").arg(what).arg(key.stream);
        line.name += ", " + directionWords(key.direction);
        line.color = seriesColor(color++);
        line.style = style;
        fill(line, s, series, pyramids->second[static_cast<std::size_t>(f)], f, v, pixels, scale);
        if (!line.x.isEmpty()) {
            lines.push_back(std::move(line));
        }
    }
}

// The RTT above the least of its direction: what queues add.
void addQueue(std::vector<LaneLine> &lines, const Snapshot &s, Interval v, int pixels) {
    addSamples(lines, s, SampleFigure::rtt, tr("RTT above its least"), v, pixels, 1e-6, LineStyle::line);
    std::size_t line = 0;
    for (const auto &[key, pyramids] : s.pyramids->series) {
        const MinMaxPyramid &rtt = pyramids[static_cast<std::size_t>(SampleFigure::rtt)];
        float least = std::numeric_limits<float>::infinity();
        if (rtt.levels() > 0) {
            for (const MinMaxNode &n : rtt.level(rtt.levels() - 1)) {
                least = std::min(least, n.least);
            }
        }
        const QString tail = tr(", connection %1, %2").arg(key.stream).arg(directionWords(key.direction));
        if (line < lines.size() && lines[line].name.endsWith(tail)) {
            for (double &y : lines[line].y) {
                y -= static_cast<double>(least) * 1e-6;
            }
            ++line;
        }
    }
}

// Points of a line that changes by steps, those in the view and one on each side.
void addStep(LaneLine &line, const Snapshot &s, Interval v, std::int64_t from, std::int64_t to,
             double value) {
    if (to > v.from && from < v.to) {
        line.x << seconds(from, s) << seconds(to, s);
        line.y << value << value;
    }
}

void addThroughput(std::vector<LaneLine> &lines, const Snapshot &s, const SessionFigures &f, Interval v) {
    for (const ThroughputFigures &t : f.throughput) {
        const auto add = [&](const QString &name, LineStyle style, auto bytesOf) {
            if (lines.size() >= mostLines) {
                return;
            }
            LaneLine line{name, seriesColor(lines.size()), style, {}, {}};
            for (const ThroughputRow &row : t.rows) {
                const Time from = t.first + t.interval * static_cast<std::int64_t>(row.interval);
                addStep(line, s, v, to_ns(from), to_ns(from + t.interval),
                        bytesOf(row) * 1e3 / static_cast<double>(to_ns(t.interval)));
            }
            lines.push_back(std::move(line));
        };
        for (std::size_t i = 0; i < t.streams.size(); ++i) {
            add(tr("Connection %1").arg(t.streams[i]), LineStyle::line,
                [i](const ThroughputRow &r) { return static_cast<double>(r.bytes[i]); });
        }
        if (t.streams.size() > 1) {
            add(tr("Session %1").arg(t.session), LineStyle::dashed, [&t](const ThroughputRow &r) {
                return r.rate.sum * static_cast<double>(to_ns(t.interval)) / 1e9;
            });
        }
    }
}

void addDeviation(std::vector<LaneLine> &lines, const Snapshot &s, const SessionFigures &f, Interval v) {
    for (const ThroughputFigures &t : f.throughput) {
        if (t.streams.size() < 2 || lines.size() >= mostLines) {
            continue; // of one connection there is none
        }
        LaneLine line{tr("Session %1").arg(t.session), seriesColor(lines.size()), LineStyle::line, {}, {}};
        for (const ThroughputRow &row : t.rows) {
            const Time from = t.first + t.interval * static_cast<std::int64_t>(row.interval);
            addStep(line, s, v, to_ns(from), to_ns(from + t.interval), row.rate.deviation * 1e-6);
        }
        lines.push_back(std::move(line));
    }
}

void addTrack(std::vector<LaneLine> &lines, const Snapshot &s, const Track &t, const QString &name,
              Interval v) {
    if (lines.size() >= mostLines) {
        return;
    }
    LaneLine line{name, seriesColor(lines.size()), LineStyle::line, {}, {}};
    for (std::size_t i = 0; i < t.mean.size(); ++i) {
        const Time from = t.start + t.width * static_cast<std::int64_t>(i);
        addStep(line, s, v, to_ns(from), to_ns(from + t.width), t.mean[i]);
    }
    lines.push_back(std::move(line));
}

} // namespace

QString laneName(LaneKind k) {
    switch (k) {
    case LaneKind::throughput:
        return tr("Throughput by connection and session");
    case LaneKind::deviation:
        return tr("Throughput deviation");
    case LaneKind::cwnd:
        return tr("Congestion window, flight, receive window");
    case LaneKind::rtt:
        return tr("Round trip time");
    case LaneKind::queueDelay:
        return tr("Queueing delay");
    case LaneKind::outstanding:
        return tr("Outstanding commands");
    case LaneKind::commandWindow:
        return tr("Command window");
    }
    return {};
}

QString laneTitle(LaneKind k) {
    switch (k) {
    case LaneKind::throughput:
        return tr("MB/s");
    case LaneKind::deviation:
        return tr("deviation\nMB/s");
    case LaneKind::cwnd:
        return tr("window\nkB");
    case LaneKind::rtt:
        return tr("RTT\nms");
    case LaneKind::queueDelay:
        return tr("queue\nms");
    case LaneKind::outstanding:
        return tr("tasks\nopen");
    case LaneKind::commandWindow:
        return tr("command\nwindow");
    }
    return {};
}

std::vector<LaneLine> laneLines(LaneKind kind, const Snapshot &s, const SessionFigures *sessions, Interval v,
                                int pixels) {
    std::vector<LaneLine> lines;
    switch (kind) {
    case LaneKind::cwnd:
        addSamples(lines, s, SampleFigure::receiveWindow, tr("Receive window"), v, pixels, 1e-3,
                   LineStyle::dashed);
        addSamples(lines, s, SampleFigure::flight, tr("Flight"), v, pixels, 1e-3, LineStyle::line);
        addSamples(lines, s, SampleFigure::cwnd, tr("Congestion window"), v, pixels, 1e-3, LineStyle::points);
        break;
    case LaneKind::rtt:
        addSamples(lines, s, SampleFigure::rtt, tr("RTT"), v, pixels, 1e-6, LineStyle::line);
        break;
    case LaneKind::queueDelay:
        addQueue(lines, s, v, pixels);
        break;
    case LaneKind::throughput:
        if (sessions != nullptr) {
            addThroughput(lines, s, *sessions, v);
        }
        break;
    case LaneKind::deviation:
        if (sessions != nullptr) {
            addDeviation(lines, s, *sessions, v);
        }
        break;
    case LaneKind::outstanding:
        if (sessions != nullptr) {
            for (const DepthFigures &d : sessions->connection_depth) {
                addTrack(lines, s, d.depth, tr("Connection %1").arg(d.number), v);
            }
        }
        break;
    case LaneKind::commandWindow:
        if (sessions != nullptr) {
            for (const WindowFigures &w : sessions->windows) {
                addTrack(lines, s, w.size, tr("Session %1").arg(w.session), v);
            }
        }
        break;
    }
    return lines;
}

} // namespace iscsiscope::gui
