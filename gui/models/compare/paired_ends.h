// SPDX-License-Identifier: GPL-2.0-or-later
// Two captures of the same traffic, one at each end (docs/tcp-inference.md, "Two-sided pair"): the figures of
// `iscsiscope compare --ends`, and delays over time for a picture.
#pragma once

#include "gui/document/report_maker.h"

#include "analyzer/figures/compare/ends.h"

#include <QAbstractTableModel>
#include <QVector>

#include <array>

namespace iscsiscope::gui {

// One direction of one connection.
struct EndsWay {
    StreamId stream; // of the first capture
    bool fromInitiator = true;
    std::uint64_t segments = 0, matched = 0, lost = 0, overtaken = 0;
    TcpQuantiles delay;      // one way, clocks aligned
    bool lostInFirst = true; // the capture that holds the lost segments: the first, else the second
    std::vector<FrameNumber> lostFrames; // at most maxLostFrames
};
inline constexpr std::size_t maxLostFrames = 50;

// Least and greatest one-way delay of all connections in equal intervals of time.
struct DelayBand {
    QVector<double> seconds, least, greatest; // since the first capture's first frame; ms
    QVector<double> lost;                     // when segments were lost, seconds
};

struct ServiceRow {
    TaskType type{};
    bool atTarget = true;
    std::uint64_t tasks = 0;
    std::optional<Duration> median, p99;
};

struct PairedEnds {
    bool firstIsInitiator = true;
    std::uint64_t connections = 0;
    std::optional<ClockRelation> clock;
    QString matched, clockText, drift;
    std::vector<EndsWay> ways;
    std::array<DelayBand, 2> bands; // from the initiator, from the target
    std::vector<ServiceRow> service;
};
using PairedEndsPtr = std::shared_ptr<const PairedEnds>;

// Returns whether both have a connection between the same addresses and ports; if not, they are not two ends.
bool mayBeEnds(const Report &, const Report &);
// Reads both captures again, in a worker thread; 64 bytes a segment and some 5 % of its payload while
// it works. Null: nothing in common, or stopped.
PairedEndsPtr readEnds(const CaptureFiles &first, const Report &, const CaptureFiles &second, const Report &,
                       const std::atomic<bool> &stop);

class EndsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Stream, From, Segments, Matched, Lost, Overtaken, Least, Median, P99, Most, ColumnCount };
    static constexpr int RawRole = Qt::UserRole; // numbers: counts, ns

    using QAbstractTableModel::QAbstractTableModel;
    void setEnds(PairedEndsPtr);
    const PairedEndsPtr &ends() const { return ends_; } // may be null
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation, int role = Qt::DisplayRole) const override;

private:
    PairedEndsPtr ends_;
};

} // namespace iscsiscope::gui
