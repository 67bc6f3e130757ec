// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/timeline/tracks/track_column.h"

namespace iscsiscope::gui {
namespace {

constexpr int least = 96, most = 220, left = 18, indent = 10, right = 6;

QFont smaller(QFont f) {
    f.setPointSizeF(f.pointSizeF() * 0.82);
    return f;
}

} // namespace

int TrackColumn::widthFor(int plotWidth) {
    const QFontMetrics metrics(mParentPlot->font());
    int wanted = least;
    for (const TrackRow &row : content_.rows) {
        auto width = widths_.find(row.label);
        if (width == widths_.end())
            width = widths_.insert(row.label, metrics.horizontalAdvance(row.label));
        wanted = std::max(wanted, *width + left + right + 4 + (row.inGroup ? indent : 0));
    }
    return std::clamp(wanted, least, std::max(least, std::min(most, plotWidth / 4)));
}

void TrackColumn::draw(QCPPainter *p) {
    const QRect lanes = content_.lanes();
    const TrackLayout layout = content_.layout();
    const auto current = content_.current();
    p->save();
    p->setClipRect(QRect(0, lanes.top(), lanes.left(), lanes.height()));
    for (const bool pinned : {false, true}) {
        for (std::size_t i = 0; i < content_.rows.size() && i < layout.places.size(); ++i) {
            if ((i < layout.pinnedRows) != pinned)
                continue;
            const QRect r(0, lanes.top() + static_cast<int>(layout.top(i)), lanes.left() - 1,
                          static_cast<int>(layout.places[i].height));
            if (r.bottom() >= lanes.top() + (pinned ? 0 : static_cast<int>(layout.pinned)) &&
                r.top() <= lanes.bottom())
                drawRow(*p, content_.rows[i], r, current == content_.rows[i].id);
        }
    }
    p->restore();
    p->save();
    p->setFont(smaller(mParentPlot->font()));
    p->setPen(content_.theme().text);
    for (const Heading &h : content_.headings()) // left of the numbers at the axis
        p->drawText(QRect(6, h.beside.top(), h.beside.left() - 6, h.beside.height()),
                    Qt::AlignLeft | Qt::AlignTop, h.text);
    p->restore();
}

void TrackColumn::drawRow(QCPPainter &p, const TrackRow &row, const QRect &r, bool current) const {
    const Theme theme = content_.theme();
    p.fillRect(r, current                                         ? theme.range
                  : row.isHeader() || row.session.number % 2 == 1 ? theme.otherLane
                                                                  : theme.lane);
    if (current)
        p.fillRect(QRect(r.left(), r.top(), 3, r.height()), theme.selection);
    p.setPen(QPen(theme.grid, 1));
    p.drawLine(QLine(r.left(), r.bottom(), r.right(), r.bottom()));
    QFont font = mParentPlot->font();
    if (row.isHeader()) { // an arrow: right if folded
        const QPoint m(r.left() + 10, r.center().y());
        p.setBrush(theme.text);
        p.setPen(Qt::NoPen);
        p.setAntialiasing(true);
        p.drawPolygon(row.folded ? QPolygon({m + QPoint(-2, -4), m + QPoint(3, 0), m + QPoint(-2, 4)})
                                 : QPolygon({m + QPoint(-4, -2), m + QPoint(4, -2), m + QPoint(0, 3)}));
        p.setAntialiasing(false);
    } else if (row.pinned) {
        p.setBrush(theme.mark);
        p.setPen(Qt::NoPen);
        p.drawEllipse(QPoint(r.left() + 10, r.center().y()), 3, 3);
    }
    const QRect text = r.adjusted(left + (row.inGroup ? indent : 0), 0, -right, -1);
    const QFontMetrics metrics(font);
    const QFont small = smaller(font);
    const bool two =
        !row.detail.isEmpty() && r.height() >= metrics.height() + QFontMetrics(small).height() + 4;
    if (r.height() < metrics.height())
        font = small;
    p.setFont(font);
    p.setPen(theme.text);
    p.drawText(two ? text.adjusted(0, 2, 0, -text.height() / 2) : text,
               static_cast<int>((two ? Qt::AlignBottom : Qt::AlignVCenter) | Qt::AlignLeft),
               QFontMetrics(font).elidedText(row.label, Qt::ElideRight, text.width()));
    if (two) {
        p.setFont(small);
        p.setPen(theme.dim);
        p.drawText(text.adjusted(0, text.height() / 2, 0, 0), static_cast<int>(Qt::AlignTop | Qt::AlignLeft),
                   QFontMetrics(small).elidedText(row.detail, Qt::ElideMiddle, text.width()));
    }
}

} // namespace iscsiscope::gui
