// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/time_plot.h"

#include "gui/models/words.h"

#include <QMouseEvent>

namespace iscsiscope::gui {
namespace {

constexpr int dragFrom = 4;   // pixels: less is a click
constexpr int snapWithin = 6; // pixels

} // namespace

double SecondsTicker::getTickStep(const QCPRange &range) {
    step_ = QCPAxisTicker::getTickStep(range);
    return step_;
}

QString SecondsTicker::getTickLabel(double tick, const QLocale &, QChar, int) {
    // A step such as 2.5 needs a digit more than its size shows.
    const double mantissa = step_ / std::pow(10.0, std::floor(std::log10(step_) + 1e-9));
    const bool whole = std::abs(mantissa - std::round(mantissa)) < 1e-6;
    QString text =
        secondWords(Duration{std::llround(tick * 1e9)}, Duration{std::llround(step_ * (whole ? 1e9 : 1e8))});
    text.chop(2); // the axis says that these are seconds
    return text;
}

TimePlot::TimePlot(Document &document, QWidget *parent) : QCustomPlot(parent), document_(document) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    addLayer("chosen");
    layer("chosen")->setMode(QCPLayer::lmBuffered);
    connect(&document, &Document::viewChanged, this, &TimePlot::follow);
    const auto overlays = [this] {
        placeOverlays();
        if (isVisible())
            layer("chosen")->replot();
    };
    connect(&document, &Document::rangeChanged, this, overlays);
    connect(&document, &Document::selectionChanged, this, overlays);
    connect(&document, &Document::marksChanged, this, overlays);
}

void TimePlot::setTimeRects(const QList<QCPAxisRect *> &rects) {
    for (const Overlay &o : overlays_) {
        removeItem(o.range);
        removeItem(o.selection);
        for (auto *m : o.marks)
            removeItem(m);
    }
    overlays_.clear();
    rects_ = rects;
    for (QCPAxisRect *rect : rects_) {
        Overlay o;
        o.range = new QCPItemRect(this);
        o.selection = new QCPItemStraightLine(this);
        for (QCPAbstractItem *item :
             {static_cast<QCPAbstractItem *>(o.range), static_cast<QCPAbstractItem *>(o.selection)}) {
            item->setLayer("chosen");
            item->setClipAxisRect(rect);
            for (QCPItemPosition *p : item->positions()) {
                p->setAxisRect(rect);
                p->setAxes(rect->axis(QCPAxis::atBottom), rect->axis(QCPAxis::atLeft));
                p->setTypeX(QCPItemPosition::ptPlotCoords);
                p->setTypeY(QCPItemPosition::ptAxisRectRatio);
            }
        }
        overlays_ << o;
    }
    follow();
}

TimeScale TimePlot::scale() const {
    if (rects_.isEmpty())
        return {document_.view(), 0, static_cast<double>(std::max(width(), 1))};
    const QRect r = rects_.front()->rect();
    return {document_.view(), static_cast<double>(r.left()), static_cast<double>(std::max(r.width(), 1))};
}

void TimePlot::follow() {
    const Interval v = document_.view();
    const Time origin = document_.snapshot()->origin;
    for (QCPAxisRect *rect : rects_)
        rect->axis(QCPAxis::atBottom)->setRange(inSeconds(v.from - origin), inSeconds(v.to - origin));
    placeOverlays();
    if (isVisible())
        replot(QCustomPlot::rpQueuedReplot);
}

void TimePlot::placeOverlays() {
    const Time origin = document_.snapshot()->origin;
    const auto seconds = [origin](Time t) { return inSeconds(t - origin); };
    const Theme t = theme();
    for (int i = 0; i < overlays_.size(); ++i) {
        Overlay &o = overlays_[i];
        o.range->setVisible(document_.range().has_value());
        if (document_.range()) {
            o.range->topLeft->setCoords(seconds(document_.range()->from), 0);
            o.range->bottomRight->setCoords(seconds(document_.range()->to), 1);
            o.range->setBrush(QBrush(t.range));
            o.range->setPen(QPen(t.dim));
        }
        const Selection &s = document_.selection();
        const bool chosen = s.cycle || s.frame;
        o.selection->setVisible(chosen);
        if (chosen) {
            o.selection->setPen(QPen(t.selection, 1, Qt::DashLine));
            o.selection->point1->setCoords(seconds(s.time), 0);
            o.selection->point2->setCoords(seconds(s.time), 1);
        }
        for (auto *m : o.marks)
            removeItem(m);
        o.marks.clear();
        for (const Mark &mark : document_.marks()) {
            auto *line = new QCPItemStraightLine(this);
            line->setLayer("chosen");
            line->setClipAxisRect(rects_[i]);
            for (QCPItemPosition *p : line->positions()) {
                p->setAxisRect(rects_[i]);
                p->setAxes(rects_[i]->axis(QCPAxis::atBottom), rects_[i]->axis(QCPAxis::atLeft));
                p->setTypeX(QCPItemPosition::ptPlotCoords);
                p->setTypeY(QCPItemPosition::ptAxisRectRatio);
            }
            line->setPen(QPen(t.mark, 1));
            line->point1->setCoords(seconds(mark.time), 0);
            line->point2->setCoords(seconds(mark.time), 1);
            o.marks << line;
            if (i > 0)
                continue;
            auto *name = new QCPItemText(this);
            name->setLayer("chosen");
            name->setClipAxisRect(rects_[i]);
            name->position->setAxisRect(rects_[i]);
            name->position->setAxes(rects_[i]->axis(QCPAxis::atBottom), rects_[i]->axis(QCPAxis::atLeft));
            name->position->setTypeX(QCPItemPosition::ptPlotCoords);
            name->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
            name->position->setCoords(seconds(mark.time), 0);
            name->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
            name->setText(fontMetrics().elidedText(mark.text, Qt::ElideRight, 160));
            name->setColor(t.background);
            name->setBrush(QBrush(t.mark));
            name->setPadding({4, 1, 4, 1});
            o.marks << name;
        }
    }
}

void TimePlot::mousePressEvent(QMouseEvent *e) {
    setFocus(Qt::MouseFocusReason);
    pressed_ = last_ = e->pos();
    moved_ = false;
    document_.beginGesture();
    if (e->button() == Qt::LeftButton && takesDrag(e->pos()))
        drag_ = Drag::own;
    else if (e->button() == Qt::MiddleButton ||
             (e->button() == Qt::LeftButton && (e->modifiers() & Qt::ShiftModifier) != 0))
        drag_ = Drag::pan;
    else if (e->button() == Qt::LeftButton)
        drag_ = Drag::range;
}

std::optional<Time> TimePlot::timeUnderPointer() const {
    if (!isVisible() || !pointer_ || rects_.isEmpty())
        return std::nullopt;
    // The legends between the rects count too, what lies above the first does not.
    const QRect first = rects_.front()->rect();
    if (pointer_->y() < first.top() || pointer_->x() < first.left() || pointer_->x() > first.right())
        return std::nullopt;
    return scale().toTime(pointer_->x());
}

void TimePlot::leaveEvent(QEvent *e) {
    pointer_.reset();
    QCustomPlot::leaveEvent(e);
}

void TimePlot::mouseMoveEvent(QMouseEvent *e) {
    pointer_ = e->pos();
    if (drag_ == Drag::none) {
        emit hovered(e->pos());
        return;
    }
    moved_ = moved_ || (e->pos() - pressed_).manhattanLength() >= dragFrom;
    const TimeScale s = scale();
    if (drag_ == Drag::pan) {
        document_.pan(s.toTime(last_.x()) - s.toTime(e->pos().x()));
    } else if (drag_ == Drag::own) {
        dragged(last_, e->pos());
    } else if (moved_) {
        const auto within = s.toTime(snapWithin) - s.toTime(0);
        const Time a = document_.snapped(s.toTime(pressed_.x()), within);
        const Time b = document_.snapped(s.toTime(e->pos().x()), within);
        document_.setRange(Interval{std::min(a, b), std::max(a, b)});
    }
    last_ = e->pos();
}

void TimePlot::mouseReleaseEvent(QMouseEvent *e) {
    if (drag_ == Drag::range && !moved_)
        emit clicked(e->pos());
    drag_ = Drag::none;
    document_.endGesture();
}

void TimePlot::mouseDoubleClickEvent(QMouseEvent *e) {
    emit doubleClicked(e->pos());
}

void TimePlot::wheelEvent(QWheelEvent *e) {
    const QPoint d = e->angleDelta();
    if ((e->modifiers() & Qt::ShiftModifier) != 0 || std::abs(d.x()) > std::abs(d.y())) {
        const int by = d.x() != 0 ? d.x() : d.y();
        document_.pan(-document_.view().length() / 10 * by / 120);
    } else {
        document_.zoomAt(scale().toTime(e->position().x()), std::pow(0.8, d.y() / 120.0));
    }
    e->accept();
}

void TimePlot::changeEvent(QEvent *e) {
    if (e->type() == QEvent::PaletteChange) {
        applyTheme(*this, theme());
        themeChanged();
        placeOverlays();
        replot(QCustomPlot::rpQueuedReplot);
    }
    QCustomPlot::changeEvent(e);
}

} // namespace iscsiscope::gui
