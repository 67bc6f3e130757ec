// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/timeline/timeline_layers.h"

namespace iscsiscope::gui {

void LanesPlottable::draw(QCPPainter *painter) {
    const QRect r = place();
    const Snapshot &s = *paint_.document.snapshot();
    LanesLayout layout = paint_.layout();
    if (whole_) {
        layout = {static_cast<double>(r.height()) /
                      static_cast<double>(std::max<std::size_t>(paint_.rows.size(), 1)),
                  0};
    }
    const Theme theme = paint_.theme();
    const Interval view = whole_ ? s.whole : paint_.document.view();
    const double ratio = painter->device()->devicePixelRatioF();
    const auto key = std::tuple(&s, view.from, view.to, r.size().width(), r.size().height(), ratio,
                                layout.scrolled, theme.dark);
    if (key != key_) {
        image_ = paintLanes(s, paint_.rows, view, layout, r.size(), ratio, theme);
        key_ = key;
    }
    painter->drawImage(r.topLeft(), image_);
    if (whole_)
        drawWindow(*painter, r);
}

void LanesPlottable::drawWindow(QCPPainter &painter, const QRect &r) const {
    const TimeScale scale{paint_.document.snapshot()->whole, static_cast<double>(r.left()),
                          static_cast<double>(r.width())};
    const Interval v = paint_.document.view();
    const double a =
        std::clamp(scale.toPixel(v.from), static_cast<double>(r.left()), static_cast<double>(r.right()));
    const double b = std::clamp(scale.toPixel(v.to), a + 2, static_cast<double>(r.right()) + 2);
    const Theme theme = paint_.theme();
    QColor veil = theme.background;
    veil.setAlpha(190);
    painter.fillRect(QRectF(r.left(), r.top(), a - r.left(), r.height()), veil);
    painter.fillRect(QRectF(b, r.top(), r.right() - b + 1, r.height()), veil);
    painter.setPen(QPen(theme.text, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(a, r.top(), b - a - 1, r.height() - 1));
}

void OutlinePlottable::draw(QCPPainter *painter) {
    const auto cycle = paint_.document.selection().cycle;
    if (!cycle)
        return;
    const QRect r = place();
    const CycleStore &cycles = paint_.document.snapshot()->tables.cycles;
    const LanesLayout layout = paint_.layout();
    const TimeScale scale{paint_.document.view(), static_cast<double>(r.left()),
                          static_cast<double>(r.width())};
    for (std::size_t i = 0; i < paint_.rows.size(); ++i) {
        if (paint_.rows[i].stream == cycles.stream(*cycle)) {
            const double a = std::clamp(scale.toPixel(cycles.start(*cycle)), r.left() - 3.0, r.right() + 3.0);
            const double b = std::clamp(scale.toPixel(cycles.end(*cycle)), r.left() - 3.0, r.right() + 3.0);
            painter->setPen(QPen(paint_.theme().selection, 1));
            painter->setBrush(Qt::NoBrush);
            painter->drawRect(
                QRectF(a, r.top() + layout.top(i), std::max(b - a, 2.0), layout.barsHeight() + 1));
        }
    }
}

void HighlightPlottable::draw(QCPPainter *painter) {
    for (const LaneLine *line : lines_) {
        const QColor color = theme_.legible(line->color);
        QPolygonF run;
        const auto flush = [&] {
            if (line->style == LineStyle::points) {
                for (const QPointF &p : run)
                    painter->fillRect(QRectF(p.x() - 2, p.y() - 2, 4, 4), color);
            } else if (run.size() > 1) {
                painter->setPen(QPen(color, 2, penStyleOf(line->style)));
                painter->drawPolyline(run);
            }
            run.clear();
        };
        for (qsizetype i = 0; i < line->x.size(); ++i)
            if (std::isnan(line->y[i]))
                flush();
            else
                run << QPointF(mKeyAxis->coordToPixel(line->x[i]), mValueAxis->coordToPixel(line->y[i]));
        flush();
    }
}

Qt::PenStyle penStyleOf(LineStyle s) {
    return s == LineStyle::dashed ? Qt::DashLine : s == LineStyle::dotted ? Qt::DotLine : Qt::SolidLine;
}

} // namespace iscsiscope::gui
