// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/ladder_view.h"

#include "analyzer/report/wording.h"
#include "gui/models/hatch.h"
#include "gui/models/words.h"
#include "gui/views/theme.h"

#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include <cmath>

namespace iscsiscope::gui {
namespace {

constexpr int top = 34, bottom = 24, timeColumn = 110, gapColumn = 190;

struct Posts {
    double left, right;
};
Posts posts(int width) {
    return {timeColumn + 40.0, std::max(width - gapColumn - 40.0, timeColumn + 200.0)};
}

} // namespace

LadderView::LadderView(Document &document, QWidget *parent)
    : QAbstractScrollArea(parent), document_(document), model_(document) {
    setObjectName("ladder");
    setAccessibleName(tr("Ladder of packets between initiator and target"));
    setFocusPolicy(Qt::StrongFocus);
    connect(&document, &Document::snapshotChanged, this, &LadderView::refreshOrWait);
    connect(
        &document, &Document::viewChanged, this,
        [this] {
            viewLeads_ = true;
            refreshOrWait();
        });
    connect(&document, &Document::selectionChanged, this, [this] {
        if (document_.selection().cycle && document_.selection().cycle == shown_) {
            viewport()->update(); // another packet of the same cycle
        } else {
            viewLeads_ = false;
            refreshOrWait();
        }
    });
    connect(&model_, &LadderModel::changed, this, &LadderView::updateBars);
}

void LadderView::showEvent(QShowEvent *e) {
    QAbstractScrollArea::showEvent(e);
    if (stale_)
        refresh();
}

void LadderView::refreshOrWait() {
    stale_ = true;
    if (isVisible())
        refresh();
}

// The selected cycle and its surroundings, else the slowest of the first in the view; once one has zoomed to
// about its size, the view.
void LadderView::refresh() {
    stale_ = false;
    const Snapshot &s = *document_.snapshot();
    const CycleStore &cycles = s.tables.cycles;
    if (cycles.size() == 0) {
        viewport()->update();
        return;
    }
    std::optional<Row> cycle = document_.selection().cycle;
    if (!cycle) {
        // The slowest of what the view shows first: that is what one came to see.
        for (const auto &[stream, lane] : s.lanes->cycles) {
            const auto [first, last] = lane.placesIn(cycles, document_.view());
            for (std::size_t i = first; i < std::min(last, first + 2000); ++i) {
                const Row r = lane.row(i);
                if (cycles.type(r) != TaskType::control && cycles.start(r) >= document_.view().from &&
                    (!cycle || cycles.responseTime(r) > cycles.responseTime(*cycle)))
                    cycle = r;
            }
        }
    }
    if (!cycle)
        cycle = 0;
    shown_ = cycle;
    const std::int64_t from = cycles.start(*cycle), to = cycles.end(*cycle);
    const std::int64_t margin = std::max<std::int64_t>((to - from) / 12, 20'000);
    const Interval around{from - margin, to + margin}, view = document_.view();
    const bool meets = view.from < to && view.to > from;
    const bool follows = view.length() <= 3 * around.length() && (meets || viewLeads_);
    model_.show(cycles.stream(*cycle), follows ? view : around);
}

void LadderView::zoom(double factor) {
    const Interval i = model_.page().interval;
    if (!i.empty())
        document_.stepView(zoomed(i, i.from + i.length() / 2, factor, document_.snapshot()->whole));
}

void LadderView::pan(double share) {
    const Interval i = model_.page().interval;
    if (!i.empty()) {
        const auto by = static_cast<std::int64_t>(static_cast<double>(i.length()) * share);
        document_.stepView(panned(i, by, document_.snapshot()->whole));
    }
}

int LadderView::ladderHeight() const {
    const auto packets = static_cast<int>(model_.page().packets.size());
    return std::max(viewport()->height(), std::min(packets * 9, 30'000) + top + bottom);
}

void LadderView::updateBars() {
    verticalScrollBar()->setRange(0, std::max(ladderHeight() - viewport()->height(), 0));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(30);
    viewport()->update();
}

double LadderView::yOf(std::int64_t t, double height) const {
    const Interval &i = model_.page().interval;
    return top + static_cast<double>(t - i.from) * (height - top - bottom) /
                     static_cast<double>(std::max<std::int64_t>(i.length(), 1));
}

void LadderView::paintEvent(QPaintEvent *) {
    QPainter p(viewport());
    p.translate(0, -verticalScrollBar()->value());
    paintLadder(p, {viewport()->width(), ladderHeight()});
}

void LadderView::paintLadder(QPainter &p, QSize size) const {
    const Theme t = Theme::of(palette());
    const LadderPage &page = model_.page();
    p.fillRect(QRect(QPoint(0, 0), size), t.background);
    p.setPen(t.text);
    if (page.changed) {
        p.drawText(
            QRect(0, 0, size.width(), 80), Qt::AlignCenter,
            tr("The file has changed since it was read: its packets cannot be shown. Reload it (F5)."));
        return;
    }
    if (page.packets.empty()) {
        p.drawText(QRect(0, 0, size.width(), 80), Qt::AlignCenter,
                   model_.pending() ? tr("Reading the packets …")
                                    : tr("No packets to show: select a cycle."));
        return;
    }
    const auto [left, right] = posts(size.width());
    const QFontMetrics metrics(p.font());
    p.setRenderHint(QPainter::Antialiasing);
    // Gaps lie behind everything, with their names at the right.
    double lastName = 0;
    for (const GapRecord &g : page.gaps) {
        const double y0 = std::max(yOf(to_ns(g.start), size.height()), static_cast<double>(top));
        const double y1 = std::min(yOf(to_ns(g.start + g.length), size.height()),
                                   static_cast<double>(size.height() - bottom));
        QColor tint = colorOf(g.kind);
        p.fillRect(QRectF(right + 14, y0, 8, y1 - y0), QBrush(tint));
        p.fillRect(QRectF(right + 14, y0, 8, y1 - y0), QBrush(t.background, brushOf(hatchOf(g.kind))));
        tint.setAlpha(t.dark ? 60 : 36);
        p.fillRect(QRectF(left, y0, right - left, y1 - y0), tint);
        const double middle = (y0 + y1) / 2;
        if (middle - lastName > 2 * metrics.height()) {
            lastName = middle;
            p.setPen(t.text);
            p.drawText(QRectF(right + 28, middle - metrics.height(), gapColumn, 2 * metrics.height()),
                       Qt::AlignLeft | Qt::AlignVCenter,
                       words(name(g.kind)) + "\n" + durationWords(to_ns(g.length)));
        }
    }
    p.setPen(QPen(t.text, 1.5));
    p.drawLine(QPointF(left, top - 6), QPointF(left, size.height() - bottom + 6));
    p.drawLine(QPointF(right, top - 6), QPointF(right, size.height() - bottom + 6));
    p.drawText(QRectF(left - 140, 2, 280, 22), Qt::AlignCenter, tr("initiator %1").arg(page.initiator));
    p.drawText(QRectF(right - 140, 2, 280, 22), Qt::AlignCenter, tr("target %1").arg(page.target));
    p.setClipRect(QRectF(0, top - 8, size.width(), size.height() - top - bottom + 16));
    double lastTime = -100, lastLabel[2] = {-100, -100};
    const std::int64_t origin = document_.snapshot()->origin;
    for (const LadderPacket &k : page.packets) {
        const double y0 = yOf(k.sent, size.height()), y1 = yOf(k.arrived, size.height());
        const QPointF from(k.toTarget ? left : right, y0), to(k.toTarget ? right : left, y1);
        const bool carries = k.payload > 0;
        QColor color = k.repeat  ? QColor(0xb2, 0x18, 0x2b)
                       : carries ? QColor(k.toTarget ? 0xd55e00 : 0x0072b2)
                                 : t.dim;
        color = t.legible(color);
        const bool chosen = document_.selection().frame == k.frame;
        p.setPen(QPen(chosen ? t.selection : color,
                      chosen    ? 2.0
                      : carries ? 1.0
                                : 0.7,
                      carries ? Qt::SolidLine : Qt::DotLine));
        p.drawLine(from, to);
        const double angle = std::atan2(to.y() - from.y(), to.x() - from.x());
        for (const double turn : {0.4, -0.4})
            p.drawLine(to, to - 6 * QPointF(std::cos(angle + turn), std::sin(angle + turn)));
        const double first = k.toTarget ? y0 : y1;
        if (first - lastTime > metrics.height()) {
            lastTime = first;
            p.setPen(t.dim);
            p.drawText(
                QRectF(0, first - metrics.height() / 2.0, timeColumn, metrics.height()),
                Qt::AlignRight | Qt::AlignVCenter,
                secondWords((k.toTarget ? k.sent : k.arrived) - origin, page.interval.length() / 1000));
        }
        const QString label = k.repeat && k.pdus.isEmpty() ? tr("sent again") : k.pdus;
        if (!label.isEmpty() && y0 - lastLabel[k.toTarget ? 0 : 1] > metrics.height() - 1) {
            lastLabel[k.toTarget ? 0 : 1] = y0;
            p.save();
            p.translate(from);
            p.rotate((k.toTarget ? angle : angle + M_PI) * 180 / M_PI);
            const QString text =
                metrics.elidedText(label, Qt::ElideRight, static_cast<int>((right - left) / 2) - 12);
            const double width = metrics.horizontalAdvance(text);
            const QRectF place(k.toTarget ? 10 : -10 - width, -metrics.height(), width + 2, metrics.height());
            QColor paper = t.background;
            paper.setAlpha(190);
            p.fillRect(place, paper);
            p.setPen(color);
            p.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, text);
            p.restore();
        }
    }
    p.setClipping(false);
    QString note = page.delaysKnown
                       ? tr("Slant: half the least loop from the tap to each end.")
                       : tr("Slant nominal: the delays to both ends are not known from this capture.");
    if (page.more)
        note += " " + tr("Only the first %1 packets.").arg(mostLadderPackets);
    p.setPen(t.dim);
    p.drawText(QRectF(6, size.height() - bottom + 4, size.width() - 12, bottom - 4),
               Qt::AlignLeft | Qt::AlignVCenter, note);
}

std::optional<std::size_t> LadderView::packetAt(const QPoint &at) const {
    const auto [left, right] = posts(viewport()->width());
    const double share = std::clamp((at.x() - left) / (right - left), 0.0, 1.0);
    const double y = at.y() + verticalScrollBar()->value();
    std::optional<std::size_t> best;
    double distance = 6;
    for (std::size_t i = 0; i < model_.page().packets.size(); ++i) {
        const LadderPacket &k = model_.page().packets[i];
        const double a = yOf(k.toTarget ? k.sent : k.arrived, ladderHeight());
        const double b = yOf(k.toTarget ? k.arrived : k.sent, ladderHeight());
        const double off = std::abs(a + (b - a) * share - y);
        if (off < distance) {
            distance = off;
            best = i;
        }
    }
    return best;
}

void LadderView::mousePressEvent(QMouseEvent *e) {
    if (const auto i = packetAt(e->pos())) {
        const LadderPacket &k = model_.page().packets[*i];
        document_.selectFrame(k.frame, k.time);
    }
}

void LadderView::mouseDoubleClickEvent(QMouseEvent *e) {
    if (const auto i = packetAt(e->pos()))
        emit packetWanted(model_.page().packets[*i].frame);
}

void LadderView::wheelEvent(QWheelEvent *e) {
    if ((e->modifiers() & Qt::ControlModifier) != 0) {
        const double height = ladderHeight();
        const double y = e->position().y() + verticalScrollBar()->value();
        const Interval &i = model_.page().interval;
        const std::int64_t t = i.from + static_cast<std::int64_t>((y - top) / (height - top - bottom) *
                                                                  static_cast<double>(i.length()));
        document_.stepView(
            zoomed(i, t, std::pow(0.8, e->angleDelta().y() / 120.0), document_.snapshot()->whole));
        e->accept();
        return;
    }
    QAbstractScrollArea::wheelEvent(e);
}

} // namespace iscsiscope::gui
