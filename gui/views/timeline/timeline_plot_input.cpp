// SPDX-License-Identifier: GPL-2.0-or-later
// What mouse and keys do in the timeline beside moving and selecting time.
#include "gui/views/timeline/lane_legend.h"
#include "gui/views/timeline/timeline_layers.h"
#include "gui/views/timeline/timeline_plot.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>

#include <cmath>

namespace iscsiscope::gui {
namespace {

constexpr double borderReach = 3; // pixels
constexpr int keyStep = 18, heightStep = 8;

} // namespace

QRect TimelinePlot::tracksRect() const {
    return lanesRect_->rect();
}

QRect TimelinePlot::stripRect() const {
    return strip_->rect();
}

QRect TimelinePlot::trackNameRect(std::size_t row) const {
    const TrackLayout layout = layoutNow();
    if (row >= layout.places.size())
        return {};
    return {0, lanesRect_->top() + static_cast<int>(layout.top(row)), lanesRect_->left(),
            static_cast<int>(layout.places[row].height)};
}

std::optional<LaneHit> TimelinePlot::hit(const QPoint &at) const {
    const QRect r = lanesRect_->rect();
    if (!r.contains(at))
        return std::nullopt;
    return hitLanes(*document_.snapshot(), rows(), document_.view(), layoutNow(), r.size(), at - r.topLeft());
}

std::optional<std::size_t> TimelinePlot::trackAt(const QPoint &at) const {
    const QRect r = lanesRect_->rect();
    if (at.x() < 0 || at.x() >= r.left() || at.y() < r.top() || at.y() > r.bottom())
        return std::nullopt;
    return layoutNow().at(at.y() - r.top());
}

std::optional<std::size_t> TimelinePlot::borderAt(const QPoint &at) const {
    const QRect r = lanesRect_->rect();
    if (at.x() < 0 || at.x() >= r.left() || at.y() < r.top() || at.y() > r.bottom() + borderReach)
        return std::nullopt;
    return layoutNow().borderAt(at.y() - r.top(), borderReach);
}

std::optional<std::size_t> TimelinePlot::laneAt(const QPoint &at) const {
    for (std::size_t i = 0; i < series_.size(); ++i) {
        const QRect r = series_[i].rect->rect();
        if (at.y() >= r.top() && at.y() <= r.bottom())
            return i;
    }
    return std::nullopt;
}

bool TimelinePlot::takesDrag(const QPoint &at) {
    resized_.reset();
    columnPress_.reset();
    if (const auto border = borderAt(at)) {
        resized_ = rows()[*border].id;
        return true;
    }
    const auto line = lineAt(at);
    if (at.x() < lanesRect_->left() || (line && !line->key.isEmpty())) {
        columnPress_ = at;
        return true;
    }
    if (!strip_->rect().contains(at))
        return false;
    const QRect r = strip_->rect();
    const TimeScale whole{document_.snapshot()->whole, static_cast<double>(r.left()),
                          static_cast<double>(r.width())};
    const Time t = whole.toTime(at.x());
    if (!document_.view().contains(t))
        document_.stepView({t - document_.view().length() / 2, t + document_.view().length() / 2});
    return true;
}

void TimelinePlot::dragged(const QPoint &from, const QPoint &to) {
    if (resized_) {
        const auto row = tracks_.rowOf(*resized_);
        if (!row)
            return;
        const QRect r = trackNameRect(*row);
        changeTracks([&](TrackList &t) { t.setHeight(*resized_, to.y() - r.top()); });
        return;
    }
    if (columnPress_)
        return;
    const QRect r = strip_->rect();
    const TimeScale whole{document_.snapshot()->whole, static_cast<double>(r.left()),
                          static_cast<double>(r.width())};
    document_.pan(whole.toTime(to.x()) - whole.toTime(from.x()));
}

void TimelinePlot::mouseReleaseEvent(QMouseEvent *e) {
    const auto press = std::exchange(columnPress_, std::nullopt);
    TimePlot::mouseReleaseEvent(e);
    if (!press || (e->pos() - *press).manhattanLength() > 4)
        return;
    if (const auto line = lineAt(*press); line && !line->key.isEmpty()) {
        const LaneKind kind = series_[line->lane].kind;
        setHidden(kind, line->key, !hidden(kind, line->key));
    } else if (const auto row = trackAt(*press)) {
        const TrackRow track = rows()[*row];
        setCurrentTrack(track.id);
        if (track.isHeader())
            changeTracks([&](TrackList &t) { t.setFolded(track.id, !track.folded); });
    }
}

void TimelinePlot::mouseDoubleClickEvent(QMouseEvent *e) {
    const auto lane = laneAt(e->pos());
    if (lane && e->pos().x() < lanesRect_->left()) {
        yZoom_.erase(series_[*lane].kind);
        dirty_ = true;
        replot(QCustomPlot::rpQueuedReplot);
    } else if (const auto border = borderAt(e->pos())) {
        changeTracks([&](TrackList &t) { t.resetHeight(t.rows()[*border].id); });
    } else if (e->pos().x() >= lanesRect_->left()) {
        TimePlot::mouseDoubleClickEvent(e);
    }
}

void TimelinePlot::wheelEvent(QWheelEvent *e) {
    const QPoint at = e->position().toPoint();
    const auto lane = laneAt(at);
    const double steps = e->angleDelta().y() / 120.0;
    if (lane && ((e->modifiers() & Qt::ControlModifier) != 0 || at.x() < lanesRect_->left())) {
        double &zoom = yZoom_.try_emplace(series_[*lane].kind, 1.0).first->second;
        zoom = std::clamp(zoom * std::pow(1.25, steps), 0.2, 1e6);
        dirty_ = true;
        replot(QCustomPlot::rpQueuedReplot);
        e->accept();
    } else if (at.x() < lanesRect_->left()) {
        scrollTo(scrolled_ - static_cast<int>(steps * 3 * keyStep));
        emit lanesChanged();
        e->accept();
    } else {
        TimePlot::wheelEvent(e);
    }
}

void TimelinePlot::setCurrentTrack(std::optional<TrackId> id) {
    current_ = id;
    if (const auto row = id ? tracks_.rowOf(*id) : std::nullopt) {
        const TrackLayout layout = layoutNow();
        const double top = layout.top(*row), height = layout.places[*row].height;
        if (*row >= layout.pinnedRows && top < layout.pinned)
            scrolled_ += static_cast<int>(top - layout.pinned);
        else if (top + height > lanesVisible())
            scrolled_ += static_cast<int>(top + height) - lanesVisible();
        scrollTo(scrolled_);
        emit lanesChanged();
    }
    replot(QCustomPlot::rpQueuedReplot);
}

void TimelinePlot::contextMenuEvent(QContextMenuEvent *e) {
    std::optional<TrackId> id = current_;
    QPoint at = e->globalPos();
    if (e->reason() == QContextMenuEvent::Mouse) {
        const QRect r = lanesRect_->rect();
        const auto row = at.isNull() || e->y() < r.top() || e->y() > r.bottom()
                             ? std::nullopt
                             : layoutNow().at(e->y() - r.top());
        id = row ? std::optional(rows()[*row].id) : std::nullopt;
        if (id)
            setCurrentTrack(id);
    } else if (const auto row = id ? tracks_.rowOf(*id) : std::nullopt) {
        at = mapToGlobal(trackNameRect(*row).center());
    }
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillTrackMenu(*menu, id);
    menu->popup(at);
}

// Connections further up and down; sideways are actions of the window. With Ctrl: the current track.
void TimelinePlot::keyPressEvent(QKeyEvent *e) {
    const bool up = e->key() == Qt::Key_Up, down = e->key() == Qt::Key_Down;
    const auto row = current_ ? tracks_.rowOf(*current_) : std::nullopt;
    const bool ctrl = (e->modifiers() & Qt::ControlModifier) != 0,
               shift = (e->modifiers() & Qt::ShiftModifier) != 0;
    if (ctrl && shift && (up || down) && row) {
        const int height = static_cast<int>(layoutNow().places[*row].height);
        changeTracks(
            [&](TrackList &t) { t.setHeight(*current_, height + (down ? heightStep : -heightStep)); });
        return;
    }
    if (ctrl && (up || down) && !rows().empty()) {
        const std::size_t last = rows().size() - 1;
        setCurrentTrack(rows()[!row   ? (down ? 0 : last)
                               : down ? std::min(*row + 1, last)
                                      : *row - (*row > 0 ? 1 : 0)]
                            .id);
        return;
    }
    if (row && e->key() == Qt::Key_Space && rows()[*row].isHeader()) {
        changeTracks([&](TrackList &t) { t.setFolded(*current_, !t.rows()[*row].folded); });
        return;
    }
    if (row && e->key() == Qt::Key_Delete) {
        const TrackId id = *current_;
        changeTracks([&](TrackList &t) { t.setHidden(id, true); });
        if (!rows().empty())
            setCurrentTrack(rows()[std::min(*row, rows().size() - 1)].id);
        return;
    }
    const int page = std::max(lanesVisible() - keyStep, keyStep);
    const int by = up                             ? -keyStep
                   : down                         ? keyStep
                   : e->key() == Qt::Key_PageUp   ? -page
                   : e->key() == Qt::Key_PageDown ? page
                                                  : 0;
    if (by != 0 && lanesHeight() > lanesVisible()) {
        scrollTo(scrolled_ + by);
        emit lanesChanged();
        return;
    }
    TimePlot::keyPressEvent(e);
}

} // namespace iscsiscope::gui
