// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/timeline/timeline_layers.h"

#include "gui/models/timeline/incident_places.h"
#include "gui/models/timeline/incident_words.h"
#include "gui/views/timeline/tracks/incident_glyphs.h"

namespace iscsiscope::gui {

void LanesPlottable::draw(QCPPainter *painter) {
    const QRect r = place();
    const Snapshot &s = *paint_.document.snapshot();
    const TrackLayout layout = whole_ ? TrackLayout{} : paint_.layout();
    const Theme theme = paint_.theme();
    const Interval view = whole_ ? s.whole : paint_.document.view();
    const double ratio = painter->device()->devicePixelRatioF();
    const auto key = std::tuple(&s, paint_.matched.get(), view.from, view.to, r.size().width(),
                                r.size().height(), ratio, layout.scrolled, theme.dark);
    if (key != key_) {
        const LanesData data{s, paint_.matched.get()};
        image_ = whole_ ? paintStrip(data, paint_.tracks.allStreams(), view, r.size(), ratio, theme)
                        : paintLanes(data, paint_.tracks.rows(), view, layout, r.size(), ratio, theme);
        key_ = key;
    }
    painter->drawImage(r.topLeft(), image_);
    if (whole_) {
        drawWindow(*painter, r);
    } else if (paint_.pending) {
        drawNote(*painter, r,
                 QCoreApplication::translate("Tracks", "range and filter are being applied to the tracks …"));
    } else if (s.tables.streams.empty() && s.complete) {
        drawReason(*painter, r,
                   QCoreApplication::translate("Tracks", "No connection of this capture carries iSCSI: there "
                                                         "are no cycles to draw. Overview and Details say "
                                                         "what the capture holds."));
    } else if (paint_.tracks.rows().empty() && s.complete) {
        drawReason(*painter, r,
                   QCoreApplication::translate("Tracks", "All tracks are hidden, or none matches the search. "
                                                         "The menu Tracks shows all again."));
    }
}

// Why there is nothing to see.
void LanesPlottable::drawReason(QCPPainter &painter, const QRect &r, const QString &text) const {
    painter.setPen(paint_.theme().text);
    painter.drawText(r.adjusted(12, 4, -12, -4), Qt::AlignCenter | Qt::TextWordWrap, text);
}

// While it is not yet known what range and filter leave out.
void LanesPlottable::drawNote(QCPPainter &painter, const QRect &r, const QString &text) const {
    const Theme theme = paint_.theme();
    const QRect place = painter.fontMetrics().boundingRect(text).adjusted(-6, -2, 6, 2);
    const QRect at(r.right() - place.width(), r.bottom() - place.height(), place.width(), place.height());
    painter.fillRect(at, theme.background);
    painter.setPen(theme.text);
    painter.drawText(at, Qt::AlignCenter, text);
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
    const TrackLayout layout = paint_.layout();
    const auto row = paint_.tracks.rowOf({TrackKind::connection, cycles.stream(*cycle).number});
    if (!row)
        return;
    const TimeScale scale{paint_.document.view(), static_cast<double>(r.left()),
                          static_cast<double>(r.width())};
    const double top = layout.top(*row);
    if (*row >= layout.pinnedRows && top + layout.barsHeight(*row) < layout.pinned)
        return; // below the pinned ones
    const double a = std::clamp(scale.toPixel(cycles.start(*cycle)), r.left() - 3.0, r.right() + 3.0);
    const double b = std::clamp(scale.toPixel(cycles.end(*cycle)), r.left() - 3.0, r.right() + 3.0);
    painter->setPen(QPen(paint_.theme().selection, 1));
    painter->setBrush(Qt::NoBrush);
    painter->drawRect(QRectF(a, r.top() + top, std::max(b - a, 2.0), layout.barsHeight(*row) + 1));
}

// Those of a track; of a header only while what is below it is folded.
std::vector<IncidentMark> IncidentsPlottable::marksOf(const TrackRow &row, int pixels) const {
    const auto &all = paint_.document.snapshot()->lanes->incidents;
    std::vector<const Incidents *> some;
    for (const StreamId stream : row.streams)
        if (const auto found = all.find(stream); found != all.end() && (!row.isHeader() || row.folded))
            some.push_back(&found->second);
    if (some.empty())
        return {};
    return incidentMarks(some, shown_, paint_.document.view(), pixels);
}

void IncidentsPlottable::draw(QCPPainter *painter) {
    const QRect r = place();
    const TrackLayout layout = paint_.layout();
    const Theme theme = paint_.theme();
    QFont font = painter->font();
    font.setPointSizeF(std::max(font.pointSizeF() * 0.75, 6.0));
    painter->setFont(font);
    const QFontMetrics metrics(font);
    const auto &rows = paint_.tracks.rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double top = layout.top(i), height = layout.places[i].height;
        if (top + height < (i < layout.pinnedRows ? 0 : layout.pinned) || top > r.height())
            continue;
        const auto marks = marksOf(rows[i], r.width());
        const bool low = height < 32; // a great glyph would hide the bars
        const int size = low ? smallGlyph : glyphSize;
        const double y = r.top() + top + size / 2.0 + 1;
        if (y - size / 2.0 < r.top() + (i < layout.pinnedRows ? 0 : layout.pinned))
            continue;
        for (std::size_t m = 0; m < marks.size(); ++m) {
            const double x = r.left() + marks[m].x;
            paintIncident(*painter, marks[m].kind(), {x, y}, theme, size);
            if (low || marks[m].count() < 2)
                continue;
            const QString count = QString::number(marks[m].count());
            const int wide = metrics.horizontalAdvance(count);
            const QRectF place(x + glyphSize / 2.0 + 1, y - glyphSize / 2.0 - 1, wide + 2, glyphSize + 2);
            if (m + 1 < marks.size() && r.left() + marks[m + 1].x - glyphSize / 2.0 < place.right())
                continue; // the tip says it
            painter->fillRect(place, theme.background);
            painter->setPen(theme.text);
            painter->drawText(place, Qt::AlignCenter, count);
        }
    }
}

QString IncidentsPlottable::wordsAt(const QPoint &at) const {
    const QRect r = place();
    const Snapshot &s = *paint_.document.snapshot();
    const TrackLayout layout = paint_.layout();
    const auto row = r.contains(at) ? layout.at(at.y() - r.top()) : std::nullopt;
    if (!row || at.y() - r.top() - layout.top(*row) > glyphSize + 3)
        return {};
    const IncidentMark *nearest = nullptr;
    const auto marks = marksOf(paint_.tracks.rows()[*row], r.width());
    for (const IncidentMark &m : marks) {
        const double d = std::abs(r.left() + m.x - at.x());
        if (d <= glyphSize / 2.0 + 2 && (nearest == nullptr || d < std::abs(r.left() + nearest->x - at.x())))
            nearest = &m;
    }
    if (nearest == nullptr)
        return {};
    QStringList lines;
    for (std::size_t k = 0; k < incidentKinds; ++k) {
        const auto kind = static_cast<IncidentKind>(k);
        if (nearest->counts[k] == 0)
            continue;
        lines << incidentWords(s, kind, *nearest->first[k]);
        if (nearest->counts[k] > 1) {
            lines << QCoreApplication::translate("Incidents",
                                                 "    and %1 more here (%2): zoom in to see each")
                         .arg(nearest->counts[k] - 1)
                         .arg(incidentName(kind));
        }
    }
    return lines.join('\n');
}

void PartsPlottable::draw(QCPPainter *painter) {
    const QRect r = place();
    for (const LanePart &p : parts_) {
        const double a = std::max(mKeyAxis->coordToPixel(p.from), static_cast<double>(r.left())),
                     b = std::min(mKeyAxis->coordToPixel(p.to), r.right() + 1.0);
        if (b > a)
            painter->fillRect(QRectF(a, r.top(), std::max(b - a, 3.0), r.height()),
                              QBrush(theme_.dim, Qt::BDiagPattern));
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
