// SPDX-License-Identifier: GPL-2.0-or-later
// Parts of the timeline that paint into its axis rects beside the lines.
#pragma once

#include "gui/document/document.h"
#include "gui/models/timeline/incident_places.h"
#include "gui/models/timeline/lane_series.h"
#include "gui/views/timeline/painted_plottable.h"
#include "gui/views/timeline/tracks/lanes_picture.h"

#include <functional>
#include <tuple>

namespace iscsiscope::gui {

// Access to the data to paint, asked for at the moment of painting.
struct LanesPaint {
    const Document &document;
    const TrackList &tracks;
    const std::shared_ptr<const MatchedLanes> &matched; // null: nothing is dimmed
    const bool &pending;                                // matched is not yet that of range and filters
    std::function<TrackLayout()> layout;
    std::function<Theme()> theme;
};

// Paints the lanes of cycles for the view, or (whole) for all of the capture with a frame around the view.
class LanesPlottable : public PaintedPlottable {
public:
    LanesPlottable(QCPAxisRect *rect, LanesPaint paint, bool whole)
        : PaintedPlottable(rect), paint_(std::move(paint)), whole_(whole) {}
    // Needed when the tracks have changed, and since a new snapshot may have the address of the old one.
    void forget() { key_ = {}; }

protected:
    void draw(QCPPainter *) override;

private:
    void drawWindow(QCPPainter &, const QRect &) const;
    void drawNote(QCPPainter &, const QRect &, const QString &) const;
    void drawReason(QCPPainter &, const QRect &, const QString &) const;

    LanesPaint paint_;
    bool whole_;
    QImage image_;
    std::tuple<const Snapshot *, const MatchedLanes *, Time, Time, int, int, double, double, bool> key_{};
};

// Paints a frame around the selected cycle.
class OutlinePlottable : public PaintedPlottable {
public:
    OutlinePlottable(QCPAxisRect *rect, LanesPaint paint)
        : PaintedPlottable(rect), paint_(std::move(paint)) {}

protected:
    void draw(QCPPainter *) override;

private:
    LanesPaint paint_;
};

// Paints what happened to the connections, one glyph for those near each other.
class IncidentsPlottable : public PaintedPlottable {
public:
    IncidentsPlottable(QCPAxisRect *rect, LanesPaint paint)
        : PaintedPlottable(rect), paint_(std::move(paint)) {}
    void setShown(const std::array<bool, incidentKinds> &s) { shown_ = s; }
    // The incidents at a point, in words; empty: none.
    QString wordsAt(const QPoint &) const;

protected:
    void draw(QCPPainter *) override;

private:
    std::vector<IncidentMark> marksOf(const TrackRow &, int pixels) const;

    std::array<bool, incidentKinds> shown_{true, true, true, true, true};
    LanesPaint paint_;
};

// Paints the parts of a lane that are drawn as such, hatched behind its lines.
class PartsPlottable : public PaintedPlottable {
public:
    using PaintedPlottable::PaintedPlottable;
    void setParts(std::vector<LanePart> parts, const Theme &t) {
        parts_ = std::move(parts);
        theme_ = t;
    }

protected:
    void draw(QCPPainter *) override;

private:
    std::vector<LanePart> parts_;
    Theme theme_;
};

// Paints the lines under the pointer stronger than the others.
class HighlightPlottable : public PaintedPlottable {
public:
    using PaintedPlottable::PaintedPlottable;
    // The lines must outlive the next replot.
    void setLines(std::vector<const LaneLine *> lines) { lines_ = std::move(lines); }
    void setTheme(const Theme &t) { theme_ = t; }

protected:
    void draw(QCPPainter *) override;

private:
    std::vector<const LaneLine *> lines_;
    Theme theme_;
};

Qt::PenStyle penStyleOf(LineStyle);

} // namespace iscsiscope::gui
