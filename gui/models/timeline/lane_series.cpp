// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/timeline/lane_series.h"

#include "gui/models/timeline/lane_parts.h"
#include "gui/models/words.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace iscsiscope::gui {
namespace {

// By LaneKind; term: of the glossary.
struct LaneWords {
    const char *name, *title, *term;
};
constexpr std::array<LaneWords, laneKindCount> laneWords{{
    {"Throughput by connection and session", "throughput\nMB/s", "stream throughput"},
    {"Throughput deviation", "deviation\nMB/s", "throughput_intervals.deviation"},
    {"Congestion window, flight, receive window", "window\nkB", "congestion window"},
    {"Round trip time", "RTT\nms", "RTT"},
    {"Queueing delay", "queue\nms", "queueing delay"},
    {"Outstanding commands", "tasks\nopen", "outstanding"},
    {"Command window", "command\nwindow", "command window"},
}};

void addDeviation(LaneContent &c, const Snapshot &s, const SessionFigures &f, Interval v) {
    for (const ThroughputFigures &t : f.throughput) {
        if (t.streams.size() < 2)
            continue; // of one connection there is none
        if (c.lines.size() >= maxLines) {
            ++c.leftOut;
            continue;
        }
        LaneLine line{laneTr("session %1").arg(t.session.number), {}, {}, {}, {}};
        for (const ThroughputRow &row : t.rows) {
            const Time from = t.first + t.interval * static_cast<std::int64_t>(row.interval);
            addStep(line, s, v, from, from + t.interval, row.rate.deviation * 1e-6);
        }
        const QString key = line.name;
        addLine(c, std::move(line), key);
    }
}

// known: when the quantity is known, also behind the last frame, where what passed takes effect later; the
// track's first and last bin may reach beyond.
void addTrack(LaneContent &c, const Snapshot &s, const Track &t, Interval known, const QString &name,
              const QString &key, Interval v) {
    if (c.lines.size() >= maxLines) {
        ++c.leftOut;
        return;
    }
    LaneLine line{name, {}, {}, {}, {}};
    for (std::size_t i = 0; i < t.size(); ++i) {
        const Time begin = t.start + t.width * static_cast<std::int64_t>(i);
        const Time from = std::max(begin, known.from), to = std::min(begin + t.width, known.to);
        if (to > from && from < s.whole.to)
            addStep(line, s, v, from, std::min(to, s.whole.to),
                    t.mean(i) * (inNs(t.width) / inNs(to - from)));
    }
    addLine(c, std::move(line), key);
}

} // namespace

void addLine(LaneContent &c, LaneLine line, const QString &key) {
    line.color = seriesColor(c.lines.size());
    line.style = laneStyleOf(c.lines.size());
    c.keys.push_back({key, line.name, line.color, line.style, {c.lines.size()}});
    c.lines.push_back(std::move(line));
}

void addStep(LaneLine &line, const Snapshot &s, Interval v, Time from, Time to, double value) {
    if (to > v.from && from < v.to) {
        if (!line.x.isEmpty() && line.x.back() < laneSeconds(from, s)) { // nothing is known in between
            line.x << line.x.back();
            line.y << std::nan("");
        }
        line.x << laneSeconds(from, s) << laneSeconds(to, s);
        line.y << value << value;
    }
}

QString laneTr(const char *text) {
    return QCoreApplication::translate("Lanes", text);
}

std::vector<std::size_t> heaviest(const std::vector<double> &weights, std::size_t most) {
    std::vector<std::size_t> places(weights.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    if (places.size() > most) {
        std::stable_sort(places.begin(), places.end(),
                         [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
        places.resize(most);
        std::sort(places.begin(), places.end());
    }
    return places;
}

LineStyle laneStyleOf(std::size_t i) {
    constexpr std::array styles = {LineStyle::line, LineStyle::dashed, LineStyle::dotted};
    return styles[i / seriesColorCount() % styles.size()];
}

QString laneName(LaneKind k) {
    return laneTr(laneWords[static_cast<std::size_t>(k)].name);
}

QString laneTitle(LaneKind k) {
    return laneTr(laneWords[static_cast<std::size_t>(k)].title);
}

QString laneMeaning(LaneKind k) {
    return meaningOf(laneWords[static_cast<std::size_t>(k)].term);
}

LaneContent laneContent(LaneKind kind, const Snapshot &s, const SessionFigures *sessions, Interval v,
                        int pixels, const ThroughputChoice &choice) {
    LaneContent c;
    const std::vector<SampleLineKind> windows{
        {SampleFigure::flight, laneTr("flight"), meaningOf("tcp.flight"), LineStyle::line},
        {SampleFigure::cwnd, laneTr("cwnd"), meaningOf("tcp.cwnd_estimate"), LineStyle::dashed},
        {SampleFigure::receiveWindow, laneTr("receive window"), meaningOf("tcp.receive_window"),
         LineStyle::dotted}};
    const std::vector<SampleLineKind> rtt{{SampleFigure::rtt, laneTr("RTT"), {}, LineStyle::line}};
    switch (kind) {
    case LaneKind::cwnd:
        addSampleLines(c, s, windows, v, pixels, 1e-3, false);
        break;
    case LaneKind::rtt:
        addSampleLines(c, s, rtt, v, pixels, 1e-6, false);
        break;
    case LaneKind::queueDelay: // the RTT above the least of its direction
        addSampleLines(c, s, rtt, v, pixels, 1e-6, true);
        break;
    case LaneKind::throughput:
        addThroughput(c, s, v, pixels, choice);
        break;
    case LaneKind::deviation:
        if (sessions != nullptr)
            addDeviation(c, s, *sessions, v);
        break;
    case LaneKind::outstanding:
        if (sessions != nullptr) {
            for (const DepthFigures &d : sessions->connection_depth) {
                addTrack(c, s, d.depth, {d.start, d.end}, laneTr("connection %1").arg(d.number),
                         laneTr("conn %1").arg(d.number), v);
            }
        }
        break;
    case LaneKind::commandWindow:
        if (sessions != nullptr) {
            for (const WindowFigures &w : sessions->windows) {
                const QString name = laneTr("session %1").arg(w.session.number);
                addTrack(c, s, w.size, {w.start, w.end}, name, name, v);
            }
        }
        break;
    }
    return c;
}

QString laneValueWords(LaneKind k, double y) {
    switch (k) {
    case LaneKind::throughput:
    case LaneKind::deviation:
        return rateWords(y * 1e6);
    case LaneKind::cwnd:
        return laneTr("%1 kB").arg(y, 0, 'f', y < 100 ? 1 : 0);
    case LaneKind::rtt:
    case LaneKind::queueDelay:
        return durationWords(Duration{std::llround(y * 1e6)});
    case LaneKind::outstanding:
    case LaneKind::commandWindow:
        return laneTr("%1 tasks").arg(y, 0, 'g', 3);
    }
    return {};
}

} // namespace iscsiscope::gui
