// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/ladder_view.h"

#include "analyzer/words/kind_words.h"
#include "gui/models/words.h"
#include "gui/views/ladder_places.h"

#include <QHelpEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <cmath>

namespace iscsiscope::gui {
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
    for (const auto changed : {&Document::rangeChanged, &Document::filtersChanged})
        connect(&document, changed, this, &LadderView::updateBars);
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
    const Time from = cycles.start(*cycle), to = cycles.end(*cycle);
    const Duration margin = std::max<Duration>((to - from) / 12, std::chrono::microseconds{20});
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
        const Duration by = cutToNs(inNs(i.length()) * share);
        document_.stepView(panned(i, by, document_.snapshot()->whole));
    }
}

int LadderView::ladderHeight() const {
    const auto packets = static_cast<int>(model_.page().packets.size());
    return std::max(viewport()->height(), std::min(packets * 9, 30'000) + ladder::top + ladder::bottom);
}

void LadderView::updateBars() {
    verticalScrollBar()->setRange(0, std::max(ladderHeight() - viewport()->height(), 0));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(30);
    setAccessibleDescription(footnote());
    viewport()->update();
}

double LadderView::yOf(Time t, double height) const {
    using namespace ladder;
    const Interval &i = model_.page().interval;
    return top + inNs(t - i.from) * (height - top - bottom) / inNs(std::max(i.length(), Duration{1}));
}

std::optional<std::size_t> LadderView::packetAt(const QPoint &at) const {
    const auto [left, right] = ladder::posts(viewport()->width());
    if (at.y() < ladder::top || at.y() > viewport()->height() - ladder::bottom || at.x() < left - 30 ||
        at.x() > right + 10)
        return std::nullopt;
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

QPoint LadderView::placeOf(std::size_t packet) const {
    const LadderPacket &k = model_.page().packets[packet];
    const auto [left, right] = ladder::posts(viewport()->width());
    const double y = (yOf(k.sent, ladderHeight()) + yOf(k.arrived, ladderHeight())) / 2;
    return {static_cast<int>((left + right) / 2),
            static_cast<int>(std::lround(y)) - verticalScrollBar()->value()};
}

QString LadderView::tipAt(const QPoint &at) const {
    const LadderPage &page = model_.page();
    if (page.packets.empty())
        return {};
    if (at.y() < ladder::top) {
        const bool target = at.x() > viewport()->width() / 2;
        const QString &name = target ? page.targetName : page.initiatorName;
        const QString address =
            target ? tr("target %1").arg(page.target) : tr("initiator %1").arg(page.initiator);
        return name.isEmpty() ? address : address + '\n' + name;
    }
    if (const auto i = packetAt(at))
        return packetWords(page.packets[*i], document_.snapshot()->origin) +
               tr("\nClick: select it; double click: in Wireshark");
    const double y = at.y() + verticalScrollBar()->value();
    for (const GapRecord &g : page.gaps) {
        if (y < yOf(g.start, ladderHeight()) || y >= yOf(g.start + g.length, ladderHeight()))
            continue;
        const auto what = explanation(std::optional(g.kind));
        return tr("Idle gap of %1: %2").arg(durationWords(g.length), words(what));
    }
    return {};
}

bool LadderView::viewportEvent(QEvent *e) {
    if (e->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(e);
    const auto *help = static_cast<QHelpEvent *>(e);
    const QString tip = tipAt(help->pos());
    if (tip.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), tip, viewport());
    return true;
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
        const Time t =
            i.from + cutToNs((y - ladder::top) / (height - ladder::top - ladder::bottom) * inNs(i.length()));
        document_.stepView(
            zoomed(i, t, std::pow(0.8, e->angleDelta().y() / 120.0), document_.snapshot()->whole));
        e->accept();
        return;
    }
    QAbstractScrollArea::wheelEvent(e);
}

} // namespace iscsiscope::gui
