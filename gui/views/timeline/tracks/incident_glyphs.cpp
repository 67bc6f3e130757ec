// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/timeline/tracks/incident_glyphs.h"

#include "gui/models/timeline/incident_words.h"

namespace iscsiscope::gui {

void paintIncident(QPainter &p, IncidentKind k, QPointF m, const Theme &theme, int size) {
    const double r = size / 2.0;
    const QColor color = theme.legible(incidentColor(k));
    p.save();
    p.setRenderHint(QPainter::Antialiasing);
    p.setPen(QPen(theme.background, 1));
    p.setBrush(color);
    switch (k) {
    case IncidentKind::sentAgain: // a triangle downwards
        p.drawPolygon(QPolygonF{m + QPointF(-r, -r + 1), m + QPointF(r, -r + 1), m + QPointF(0, r)});
        break;
    case IncidentKind::outage: // a square with a bar
        p.drawRect(QRectF(m.x() - r, m.y() - r, 2 * r, 2 * r));
        p.setPen(QPen(theme.background, 2));
        p.drawLine(m + QPointF(-r + 2, 0), m + QPointF(r - 2, 0));
        break;
    case IncidentKind::failedTask: // a cross
        for (const QPen &pen : {QPen(theme.background, 4), QPen(color, 2)}) {
            p.setPen(pen);
            p.drawLine(m + QPointF(-r + 1, -r + 1), m + QPointF(r - 1, r - 1));
            p.drawLine(m + QPointF(-r + 1, r - 1), m + QPointF(r - 1, -r + 1));
        }
        break;
    case IncidentKind::reset: // a diamond
        p.drawPolygon(QPolygonF{m + QPointF(0, -r - 0.5), m + QPointF(r + 0.5, 0), m + QPointF(0, r + 0.5),
                                m + QPointF(-r - 0.5, 0)});
        break;
    case IncidentKind::login: // a disc
        p.drawEllipse(m, r - 0.5, r - 0.5);
        break;
    }
    p.restore();
}

} // namespace iscsiscope::gui
