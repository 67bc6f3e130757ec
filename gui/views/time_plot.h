// SPDX-License-Identifier: GPL-2.0-or-later
// TimePlot is a QCustomPlot whose axis rects share the document's view of time: the wheel zooms at the
// pointer, a drag selects the range, Shift-drag or the middle button pans. It draws range, selection, marks.
#pragma once

#include "gui/document/document.h"
#include "gui/views/theme.h"

#include <qcustomplot.h>

namespace iscsiscope::gui {

class TimePlot : public QCustomPlot {
    Q_OBJECT
public:
    explicit TimePlot(Document &, QWidget *parent = nullptr);

    // Sets the axis rects with a time axis; scale() is that of the first.
    void setTimeRects(const QList<QCPAxisRect *> &);
    TimeScale scale() const; // of the first time rect, logical pixels of this widget
    Theme theme() const { return Theme::of(palette()); }
    // The time under the mouse pointer while it is over the time rects or between them.
    std::optional<Time> timeUnderPointer() const;
    // Moves the axes to the document's view; the plot is drawn again by the event loop.
    void follow();

signals:
    void hovered(const QPoint &);
    void clicked(const QPoint &);
    void doubleClicked(const QPoint &);

protected:
    void mousePressEvent(QMouseEvent *) override;
    void mouseMoveEvent(QMouseEvent *) override;
    void mouseReleaseEvent(QMouseEvent *) override;
    void mouseDoubleClickEvent(QMouseEvent *) override;
    void wheelEvent(QWheelEvent *) override;
    void leaveEvent(QEvent *) override;
    void changeEvent(QEvent *) override;
    virtual void themeChanged() {}
    // Returns whether a drag that begins there is handled by dragged() instead of selecting a range.
    virtual bool takesDrag(const QPoint &) { return false; }
    virtual void dragged(const QPoint & /*from*/, const QPoint & /*to*/) {}

    Document &document_;

private:
    struct Overlay {
        QCPItemRect *range = nullptr;
        QCPItemStraightLine *selection = nullptr;
        QList<QCPAbstractItem *> marks; // lines, and names in the first rect
    };
    void placeOverlays();

    QList<QCPAxisRect *> rects_;
    QList<Overlay> overlays_;
    enum class Drag { none, range, pan, own } drag_ = Drag::none;
    QPoint pressed_, last_;
    bool moved_ = false;
    std::optional<QPoint> pointer_; // empty: not over this widget
};

// Labels seconds since the capture's first frame with the digits that the step needs.
class SecondsTicker : public QCPAxisTicker {
protected:
    double getTickStep(const QCPRange &) override;
    QString getTickLabel(double tick, const QLocale &, QChar, int) override;

private:
    double step_ = 1;
};

} // namespace iscsiscope::gui
