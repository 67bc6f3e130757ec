// SPDX-License-Identifier: GPL-2.0-or-later
// A QCustomPlot whose axis rects share the document's view of time: wheel zooms at the pointer, drag
// selects the range, Shift-drag or the middle button pans. Range, selection and marks are drawn on top.
#pragma once

#include "gui/document/document.h"
#include "gui/views/theme.h"

#include <qcustomplot.h>

namespace iscsiscope::gui {

class TimePlot : public QCustomPlot {
    Q_OBJECT
public:
    explicit TimePlot(Document &, QWidget *parent = nullptr);

    // The rect that the time scale is taken from, and those that follow.
    void setTimeRects(const QList<QCPAxisRect *> &);
    TimeScale scale() const; // of the first time rect, logical pixels of this widget
    Theme theme() const { return Theme::of(palette()); }
    // Moves axes to the document's view and draws the next time round.
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
    void changeEvent(QEvent *) override;
    virtual void themeChanged() {}
    // A drag that begins there is the plot's own.
    virtual bool takesDrag(const QPoint &) { return false; }
    virtual void dragged(const QPoint & /*from*/, const QPoint & /*to*/) {}

    Document &document_;

private:
    struct Overlay {
        QCPItemRect *range = nullptr;
        QCPItemStraightLine *selection = nullptr;
        QList<QCPItemStraightLine *> marks;
    };
    void placeOverlays();

    QList<QCPAxisRect *> rects_;
    QList<Overlay> overlays_;
    enum class Drag { none, range, pan, own } drag_ = Drag::none;
    QPoint pressed_, last_;
    bool moved_ = false;
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
