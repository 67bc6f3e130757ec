// SPDX-License-Identifier: GPL-2.0-or-later
// Painting of the ladder.
#include "gui/models/hatch.h"
#include "gui/models/words.h"
#include "gui/views/ladder_places.h"
#include "gui/views/ladder_view.h"
#include "gui/views/theme.h"

#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>
#include <set>

namespace iscsiscope::gui {

using namespace ladder;

namespace {

QColor colorOf(const LadderPacket &k, const Theme &t) {
    if (k.repeat)
        return QColor(t.dark ? 0xff6f75 : 0xb2182b);
    return k.payload > 0 ? t.legible(k.toTarget ? 0xd55e00 : 0x0072b2) : t.dim;
}

} // namespace

void LadderView::paintEvent(QPaintEvent *) {
    QPainter p(viewport());
    const Theme t = Theme::of(palette());
    const int width = viewport()->width(), height = viewport()->height();
    p.fillRect(viewport()->rect(), t.background);
    p.setPen(t.text);
    if (model_.page().changed) {
        p.drawText(
            QRect(0, 0, width, 80), Qt::AlignCenter,
            tr("The file has changed since it was read: its packets cannot be shown. Reload it (F5)."));
        return;
    }
    if (model_.page().packets.empty()) {
        p.drawText(QRect(0, 0, width, 80), Qt::AlignCenter,
                   model_.pending() ? tr("Reading the packets …")
                                    : tr("No packets to show: select a cycle."));
        return;
    }
    const QSize whole(width, ladderHeight());
    p.save();
    p.setRenderHint(QPainter::Antialiasing);
    p.setClipRect(QRect(0, top, width, height - top - bottom));
    p.translate(0, -verticalScrollBar()->value());
    paintGaps(p, whole);
    paintRange(p, whole);
    paintPackets(p, whole);
    p.restore();
    paintHeader(p, width);
    paintFooter(p, width);
}

std::optional<CycleId> LadderView::chosenCycle() const {
    const auto cycle = document_.selection().cycle;
    const CycleStore &c = document_.snapshot()->tables.cycles;
    return cycle && *cycle < c.size() ? std::optional(c.cycle(*cycle)) : std::nullopt;
}

// Gaps lie behind everything, with their names at the right.
void LadderView::paintGaps(QPainter &p, QSize size) const {
    const Theme t = Theme::of(palette());
    const auto [left, right] = posts(size.width());
    const QFontMetrics metrics(p.font());
    double lastName = 0;
    for (const GapRecord &g : model_.page().gaps) {
        const double y0 = std::max(yOf(g.start, size.height()), static_cast<double>(top));
        const double y1 =
            std::min(yOf(g.start + g.length, size.height()), static_cast<double>(size.height() - bottom));
        QColor tint = colorOf(g.kind);
        p.fillRect(QRectF(right + 14, y0, 8, y1 - y0), QBrush(tint));
        p.fillRect(QRectF(right + 14, y0, 8, y1 - y0), QBrush(t.background, brushOf(hatchOf(g.kind))));
        tint.setAlpha(t.dark ? 60 : 36);
        p.fillRect(QRectF(left, y0, right - left, y1 - y0), tint);
        const double middle = (y0 + y1) / 2;
        if (middle - lastName <= 2 * metrics.height())
            continue;
        lastName = middle;
        p.setPen(t.text);
        const double room = size.width() - right - 30;
        const QString what = metrics.elidedText(words(name(g.kind)).replace('_', ' ').replace("r2t", "R2T"),
                                                Qt::ElideRight, static_cast<int>(room));
        p.drawText(QRectF(right + 28, middle - metrics.height(), room, 2 * metrics.height()),
                   Qt::AlignLeft | Qt::AlignVCenter, what + "\n" + durationWords(g.length));
    }
}

// The range as a bracket beside the initiator's line.
void LadderView::paintRange(QPainter &p, QSize size) const {
    const auto &range = document_.range();
    const Interval &shown = model_.page().interval;
    if (!range || range->to <= shown.from || range->from >= shown.to)
        return;
    const auto [left, right] = posts(size.width());
    const double y0 = yOf(std::max(range->from, shown.from), size.height()),
                 y1 = yOf(std::min(range->to, shown.to), size.height());
    p.fillRect(QRectF(left - 16, y0, 6, y1 - y0), palette().color(QPalette::Highlight));
    p.setPen(QPen(palette().color(QPalette::Highlight), 1, Qt::DashLine));
    if (range->from > shown.from)
        p.drawLine(QPointF(left - 16, y0), QPointF(right, y0));
    if (range->to < shown.to)
        p.drawLine(QPointF(left - 16, y1), QPointF(right, y1));
}

void LadderView::paintPackets(QPainter &p, QSize size) const {
    const Theme t = Theme::of(palette());
    const LadderPage &page = model_.page();
    const auto [left, right] = posts(size.width());
    p.setPen(QPen(t.text, 1.5));
    p.drawLine(QPointF(left, top - 6), QPointF(left, size.height() - bottom + 6));
    p.drawLine(QPointF(right, top - 6), QPointF(right, size.height() - bottom + 6));
    const QFontMetrics metrics(p.font());
    double lastTime = -100;
    const Time origin = document_.snapshot()->origin;
    // The packets of the selected cycle stand out: the others with payload are paler.
    const auto cycle = chosenCycle();
    const bool some = cycle && std::any_of(page.packets.begin(), page.packets.end(),
                                           [&](const LadderPacket &k) { return carries(k, *cycle); });
    for (const LadderPacket &k : page.packets) {
        const double y0 = yOf(k.sent, size.height()), y1 = yOf(k.arrived, size.height());
        const QPointF from(k.toTarget ? left : right, y0), to(k.toTarget ? right : left, y1);
        const bool payload = k.payload > 0, ofCycle = some && carries(k, *cycle);
        QColor color = colorOf(k, t);
        if (some && !ofCycle && payload)
            color.setAlpha(120);
        const bool chosen = document_.selection().frame == k.frame;
        const double width = chosen ? 2.0 : ofCycle ? 1.6 : payload ? 1.0 : 0.7;
        p.setPen(QPen(chosen ? t.selection : color, width, payload ? Qt::SolidLine : Qt::DotLine));
        p.drawLine(from, to);
        const double angle = std::atan2(to.y() - from.y(), to.x() - from.x());
        for (const double turn : {0.4, -0.4})
            p.drawLine(to, to - 6 * QPointF(std::cos(angle + turn), std::sin(angle + turn)));
        const double first = k.toTarget ? y0 : y1;
        if (first - lastTime > metrics.height()) {
            lastTime = first;
            p.setPen(t.dim);
            const Duration since = (k.toTarget ? k.sent : k.arrived) - origin,
                           digits = page.interval.length() / 1000;
            p.drawText(QRectF(0, first - metrics.height() / 2.0, timeColumn, metrics.height()),
                       Qt::AlignRight | Qt::AlignVCenter,
                       secondWords(std::chrono::abs(since) < digits ? Duration{} : since, digits));
        }
    }
    // Labels of the selected cycle first: the others have what room these leave.
    std::set<double> taken[2];
    for (const bool ofCycle : {true, false}) {
        for (const LadderPacket &k : page.packets) {
            if ((some && (beginsOf(k, *cycle) || (k.repeat && carries(k, *cycle)))) != ofCycle ||
                (k.pdus.isEmpty() && !k.repeat))
                continue;
            const double y = yOf(k.sent, size.height());
            std::set<double> &others = taken[k.toTarget ? 0 : 1];
            const auto near = others.lower_bound(y - metrics.height() + 1);
            if (near != others.end() && *near < y + metrics.height() - 1)
                continue;
            others.insert(y);
            paintLabel(p, k, size, ofCycle, some && !ofCycle);
        }
    }
}

void LadderView::paintLabel(QPainter &p, const LadderPacket &k, QSize size, bool bold, bool pale) const {
    const Theme t = Theme::of(palette());
    const auto [left, right] = posts(size.width());
    const QPointF from(k.toTarget ? left : right, yOf(k.sent, size.height()));
    const QPointF to(k.toTarget ? right : left, yOf(k.arrived, size.height()));
    const double angle = std::atan2(to.y() - from.y(), to.x() - from.x());
    p.save();
    p.translate(from);
    p.rotate((k.toTarget ? angle : angle + M_PI) * 180 / M_PI);
    QFont font = p.font();
    font.setBold(bold);
    p.setFont(font);
    const QFontMetrics metrics(font);
    const QString label = !k.repeat          ? k.pdus
                          : k.pdus.isEmpty() ? tr("sent again")
                                             : tr("%1, sent again").arg(k.pdus);
    const QString text =
        metrics.elidedText(label, Qt::ElideRight, static_cast<int>((right - left) * 0.7) - 12);
    const double length = metrics.horizontalAdvance(text);
    const QRectF place(k.toTarget ? 10 : -10 - length, -metrics.height(), length + 2, metrics.height());
    QColor paper = t.background;
    paper.setAlpha(190);
    p.fillRect(place, paper);
    QColor color = colorOf(k, t);
    color.setAlpha(pale ? 190 : 255);
    p.setPen(color);
    p.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, text);
    p.restore();
}

// The two hosts, each above its line.
void LadderView::paintHeader(QPainter &p, int width) const {
    const Theme t = Theme::of(palette());
    const LadderPage &page = model_.page();
    const auto [left, right] = posts(width);
    const QFontMetrics metrics(p.font());
    p.fillRect(QRect(0, 0, width, top), t.background);
    const double half = (right - left) / 2;
    const auto host = [&](double post, double from, double to, const QString &title, const QString &name) {
        const double reach = std::min(post - from, to - post); // so that it is centred, if that leaves room
        const double least = metrics.horizontalAdvance(title) / 2.0 + 4;
        const QRectF place = reach >= least ? QRectF(post - reach, 4, 2 * reach, metrics.height())
                                            : QRectF(from, 4, to - from, metrics.height());
        const auto fitted = [&](const QString &text) {
            return metrics.elidedText(text, Qt::ElideMiddle, static_cast<int>(place.width()));
        };
        p.setPen(t.text);
        p.drawText(place, Qt::AlignCenter, fitted(title));
        p.setPen(t.dim);
        p.drawText(place.translated(0, metrics.height() + 1), Qt::AlignCenter, fitted(name));
    };
    host(left, 4, left + half - 6, tr("initiator %1").arg(page.initiator), page.initiatorName);
    host(right, left + half + 6, width - 4, tr("target %1").arg(page.target), page.targetName);
    p.setPen(t.grid);
    p.drawLine(0, top - 1, width, top - 1);
}

QString LadderView::footnote() const {
    const LadderPage &page = model_.page();
    QStringList notes;
    if (page.more)
        notes << tr("Only the first %1 packets.").arg(maxLadderPackets);
    if (!document_.filters().isEmpty())
        notes << tr("Every packet of connection %1: filters hide none here.").arg(page.stream.number);
    if (const auto &r = document_.range()) {
        const bool meets = r->to > page.interval.from && r->from < page.interval.to;
        notes << (meets ? tr("The blue bar is the range.") : tr("The range is not in sight."));
    }
    notes << (page.delaysKnown ? tr("Times at the far end are estimates: half the shortest round trip seen "
                                    "from the tap to it.")
                               : tr("The slant has no meaning here: the delay to the far end is not known "
                                    "from this capture."));
    return notes.join(" ");
}

void LadderView::paintFooter(QPainter &p, int width) const {
    const Theme t = Theme::of(palette());
    const QRect place(0, viewport()->height() - bottom, width, bottom);
    p.fillRect(place, t.background);
    p.setPen(t.grid);
    p.drawLine(place.topLeft(), place.topRight());
    p.setPen(t.dim);
    p.drawText(place.adjusted(6, 0, -6, 0), Qt::AlignLeft | Qt::AlignVCenter,
               QFontMetrics(p.font()).elidedText(footnote(), Qt::ElideRight, width - 12));
}

} // namespace iscsiscope::gui
