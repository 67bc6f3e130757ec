// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/compare/paired_ends.h"

#include "analyzer/words/compare/ends_words.h"
#include "gui/document/stores/time_scale.h"
#include "gui/models/histogram_times.h"
#include "gui/models/words.h"

#include <algorithm>
#include <cmath>
#include <thread>

namespace iscsiscope::gui {
namespace {

constexpr int bandColumns = 700; // about one a pixel

EndsWay wayOf(const PairedConnection &c, const PairedDirection &d, bool firstIsInitiator) {
    EndsWay w;
    w.stream = c.stream_a;
    w.fromInitiator = d.a_first == firstIsInitiator;
    w.segments = d.a_first ? d.segments_a : d.segments_b;
    w.matched = d.matched;
    w.lost = d.lost.size();
    w.overtaken = d.overtaken;
    w.delay = d.delay;
    w.lostInFirst = d.a_first;
    for (std::size_t i = 0; i < std::min(d.lost.size(), maxLostFrames); ++i)
        w.lostFrames.push_back(d.lost[i].frame);
    return w;
}

// Of all connections; times on the first capture's clock.
void fillBands(PairedEnds &out, const EndsPair &e, Time origin) {
    Time from = Time::max(), to = Time::min();
    for (const PairedConnection &c : e.pair.connections) {
        for (const PairedSegment &s : c.segments) {
            from = std::min(from, s.time_a);
            to = std::max(to, s.time_a);
        }
    }
    if (from > to)
        return;
    const double width = inNs(to - from + Duration{1}) / bandColumns;
    struct Column {
        double least = std::numeric_limits<double>::infinity(), greatest = -1;
    };
    std::array<std::vector<Column>, 2> columns{std::vector<Column>(bandColumns),
                                               std::vector<Column>(bandColumns)};
    for (const PairedConnection &c : e.pair.connections) {
        std::array<std::size_t, 2> band{}; // by Side of the sender
        for (const Side side : {Side::opener, Side::acceptor})
            band[index(side)] = c.directions[index(side)].a_first == e.a_is_initiator ? 0 : 1;
        for (const PairedSegment &s : c.segments) {
            const auto x = static_cast<std::size_t>(inNs(s.time_a - from) / width);
            Column &column = columns[band[index(s.sender)]][std::min<std::size_t>(x, bandColumns - 1)];
            const double ms = inNs(s.delay) / 1e6;
            column.least = std::min(column.least, ms);
            column.greatest = std::max(column.greatest, ms);
        }
        for (const Side side : {Side::opener, Side::acceptor}) {
            const PairedDirection &d = c.directions[index(side)];
            for (const LostSegment &l : d.lost) {
                const Time t = d.a_first || !e.pair.clock ? l.time : e.pair.clock->to_a(l.time);
                out.bands[band[index(side)]].lost << inSeconds(t - origin);
            }
        }
    }
    for (std::size_t b = 0; b < 2; ++b) {
        for (std::size_t x = 0; x < bandColumns; ++x) {
            const Column &column = columns[b][x];
            if (column.greatest >= column.least) {
                out.bands[b].seconds << (inNs(from - origin) + (static_cast<double>(x) + 0.5) * width) / 1e9;
                out.bands[b].least << column.least;
                out.bands[b].greatest << column.greatest;
            }
        }
        std::sort(out.bands[b].lost.begin(), out.bands[b].lost.end());
    }
}

void fillService(PairedEnds &out, const Report &atInitiator, const Report &theirs) {
    for (const TaskType type : {TaskType::read, TaskType::write}) {
        for (const bool atTarget : {true, false}) {
            const Report &r = atTarget ? theirs : atInitiator;
            const Histogram &h = r.of(type).of(CycleFigure::target_service);
            if (h.count() != 0)
                out.service.push_back(
                    {type, atTarget, h.count(), asDuration(h.quantile(0.5)), asDuration(h.quantile(0.99))});
        }
    }
}

} // namespace

bool mayBeEnds(const Report &a, const Report &b) {
    return std::any_of(
        a.connections.begin(), a.connections.end(),
        [&](const ConnectionRecord &x) {
            return std::any_of(
                b.connections.begin(), b.connections.end(),
                [&](const ConnectionRecord &y) {
                    return (x.initiator == y.initiator && x.target == y.target) ||
                           (x.initiator == y.target && x.target == y.initiator);
                });
        });
}

PairedEndsPtr readEnds(const CaptureFiles &first, const Report &a, const CaptureFiles &second,
                       const Report &b, const std::atomic<bool> &stop) {
    std::array<PairSink, 2> sinks;
    StopObserver stopper(stop);
    std::thread other([&] { readAgain(second, sinks[1], &stopper); });
    readAgain(first, sinks[0], &stopper);
    other.join();
    if (stop)
        return nullptr;
    const EndsPair e = match_pair(a, sinks[0], sinks[1]);
    if (e.pair.connections.empty())
        return nullptr;
    auto out = std::make_shared<PairedEnds>();
    out->firstIsInitiator = e.a_is_initiator;
    out->connections = e.pair.connections.size();
    out->clock = e.pair.clock;
    out->matched = QString::fromStdString(matched_words(e.pair));
    out->clockText = QString::fromStdString(clock_words(e.pair));
    out->drift = QString::fromStdString(drift_words(e.pair));
    for (const PairedConnection &c : e.pair.connections)
        for (const PairedDirection &d : c.directions)
            out->ways.push_back(wayOf(c, d, e.a_is_initiator));
    fillBands(*out, e, a.capture.first_frame_time.value_or(Time{}));
    fillService(*out, e.a_is_initiator ? a : b, e.a_is_initiator ? b : a);
    return out;
}

void EndsModel::setEnds(PairedEndsPtr ends) {
    beginResetModel();
    ends_ = std::move(ends);
    endResetModel();
}

int EndsModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() || !ends_ ? 0 : static_cast<int>(ends_->ways.size());
}

int EndsModel::columnCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant EndsModel::data(const QModelIndex &i, int role) const {
    if (!i.isValid() || i.row() >= rowCount())
        return {};
    const EndsWay &w = ends_->ways[static_cast<std::size_t>(i.row())];
    if (role == Qt::TextAlignmentRole) {
        return QVariant(i.column() == From ? Qt::AlignLeft | Qt::AlignVCenter
                                           : Qt::AlignRight | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole && role != RawRole)
        return {};
    const auto count = [role](std::uint64_t n) {
        return role == RawRole ? QVariant::fromValue<qulonglong>(n) : QVariant(countWords(n));
    };
    const auto time = [role](const std::optional<Duration> &d) {
        return role == RawRole ? d ? QVariant::fromValue<qlonglong>(to_ns(*d)) : QVariant()
                               : QVariant(durationWords(d));
    };
    switch (i.column()) {
    case Stream:
        return QVariant::fromValue<qulonglong>(w.stream.number);
    case From:
        return w.fromInitiator ? tr("initiator") : tr("target");
    case Segments:
        return count(w.segments);
    case Matched:
        return count(w.matched);
    case Lost:
        return count(w.lost);
    case Overtaken:
        return count(w.overtaken);
    case Least:
        return time(w.delay.minimum);
    case Median:
        return time(w.delay.median);
    case P99:
        return time(w.delay.p99);
    case Most:
        return time(w.delay.maximum);
    default:
        return {};
    }
}

QVariant EndsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::DisplayRole) {
        return QStringList{tr("Connection"), tr("From"),  tr("Segments"), tr("Matched"), tr("Lost"),
                           tr("Overtaken"),  tr("Least"), tr("Median"),   tr("p99"),     tr("Most")}
            .value(section);
    }
    if (role == Qt::ToolTipRole) {
        return section >= Least       ? meaningOf("delay")
               : section == Matched   ? meaningOf("matched")
               : section == Lost      ? meaningOf("lost")
               : section == Overtaken ? meaningOf("overtaken")
                                      : QString();
    }
    return {};
}

} // namespace iscsiscope::gui
