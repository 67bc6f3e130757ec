// SPDX-License-Identifier: GPL-2.0-or-later
// The plot of the timeline: overview strip, tracks of connections, and lines below them on the same time
// axis.
#pragma once

#include "gui/document/background.h"
#include "gui/models/timeline/lane_series.h"
#include "gui/models/timeline/track_list.h"
#include "gui/views/time_plot.h"
#include "gui/views/timeline/tracks/lanes_picture.h"

#include <array>
#include <functional>
#include <map>
#include <set>

class QMenu;

namespace iscsiscope::gui {

class HighlightPlottable;
class IncidentsPlottable;
class LaneLegend;
class LanesPlottable;
class PartsPlottable;
class TrackColumn;

class TimelinePlot : public TimePlot {
    Q_OBJECT
public:
    explicit TimelinePlot(Document &, QWidget *parent = nullptr);

    const std::vector<LaneKind> &lanes() const { return kinds_; }
    void setLanes(std::vector<LaneKind>);
    const ThroughputChoice &throughput() const { return throughput_; }
    void setThroughput(const ThroughputChoice &);
    // Kinds of incidents that are marked on the lanes.
    const std::array<bool, incidentKinds> &incidentsShown() const { return incidentsShown_; }
    void setIncidentsShown(const std::array<bool, incidentKinds> &);

    const TrackList &tracks() const { return tracks_; }
    const std::vector<TrackRow> &rows() const { return tracks_.rows(); }
    void changeTracks(const std::function<void(TrackList &)> &);
    // The track that keys and the context menu act on.
    const std::optional<TrackId> &currentTrack() const { return current_; }
    void setCurrentTrack(std::optional<TrackId>); // scrolls it into sight
    // Adds what can be done with a track, and with all of them, to a menu.
    void fillTrackMenu(QMenu &, std::optional<TrackId>);

    // Heights in pixels of all tracks and of the visible part.
    int lanesHeight() const;
    int lanesVisible() const;
    void scrollTo(int pixels);
    int scrolled() const { return scrolled_; }
    std::optional<LaneHit> hit(const QPoint &) const;
    // The lines drawn below the tracks, in the order of lanes().
    const std::vector<LaneContent> &contents() const { return contents_; }
    // Describes the line or legend entry at this point; empty: none. hover() also highlights it.
    QString lineWordsAt(const QPoint &) const;
    // Describes whatever else is there: names, strip, axes, incidents; empty: none.
    QString partWordsAt(const QPoint &) const;
    void hover(const QPoint &);
    QRect lineRect(std::size_t lane) const;
    QRect trackNameRect(std::size_t row) const;
    QRect tracksRect() const;
    QRect stripRect() const;
    // Whether lines of this legend entry are hidden, by its text.
    bool hidden(LaneKind, const QString &key) const;
    void setHidden(LaneKind, const QString &key, bool);
    double greatestShown(std::size_t lane) const; // upper end of its axis
    // Whether range or filters are not yet followed by the lanes' dimming.
    bool dimmingPending() const { return pending_; }
    const MatchedLanes *matched() const { return matched_.get(); }
    void render(); // computes lines and lanes for the present view and draws at once

signals:
    void lanesChanged();
    void tracksChanged();

protected:
    void themeChanged() override { dirty_ = true; }
    bool takesDrag(const QPoint &) override;
    void dragged(const QPoint &from, const QPoint &to) override;
    void mouseReleaseEvent(QMouseEvent *) override;
    void mouseDoubleClickEvent(QMouseEvent *) override;
    void wheelEvent(QWheelEvent *) override;
    void contextMenuEvent(QContextMenuEvent *) override;
    void keyPressEvent(QKeyEvent *) override;
    void leaveEvent(QEvent *) override;
    void resizeEvent(QResizeEvent *) override;
    void showEvent(QShowEvent *) override;

private:
    struct LineHit {
        std::size_t lane = 0;
        std::vector<std::size_t> lines;
        QString words, key;
    };
    struct SeriesRect {
        QCPAxisRect *rect;
        LaneKind kind;
        std::vector<QCPGraph *> graphs;
        LaneLegend *legend = nullptr;
        HighlightPlottable *highlight = nullptr;
        PartsPlottable *parts = nullptr;
    };
    void rebuild();
    void refresh();
    void refreshLines(SeriesRect &, LaneContent &, const Theme &);
    void setMargins();
    void updateMatched();
    void tracksMoved();
    bool lineHidden(LaneKind, const LaneContent &, std::size_t line) const;
    std::optional<LineHit> lineAt(const QPoint &) const;
    std::optional<std::size_t> trackAt(const QPoint &) const; // by its name
    std::optional<std::size_t> borderAt(const QPoint &) const;
    std::optional<std::size_t> laneAt(const QPoint &) const; // of the lines, with its axis
    TrackLayout layoutNow() const;

    TrackList tracks_;
    std::shared_ptr<const MatchedLanes> matched_;
    bool pending_ = false;
    LatestJob matchedJob_;
    QCPAxisRect *strip_, *lanesRect_;
    LanesPlottable *stripImage_, *lanesImage_;
    IncidentsPlottable *incidents_;
    TrackColumn *column_;
    std::vector<StreamId> stripStreams_; // in the order in which the strip has them
    std::array<bool, incidentKinds> incidentsShown_{true, true, true, true, true};
    int columnWidth_ = 0;
    std::vector<LaneKind> kinds_;
    ThroughputChoice throughput_;
    std::vector<SeriesRect> series_;
    std::vector<LaneContent> contents_;
    std::map<LaneKind, std::set<QString>> hidden_;
    std::map<LaneKind, double> yZoom_;
    std::pair<std::size_t, std::vector<std::size_t>> hovered_; // lane and its highlighted lines
    std::optional<TrackId> current_, resized_;
    std::optional<QPoint> columnPress_; // where a press in the column or a legend began
    int scrolled_ = 0;
    bool dirty_ = true;
};

} // namespace iscsiscope::gui
