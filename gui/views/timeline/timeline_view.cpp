// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/timeline/timeline_view.h"

#include "gui/models/words.h"
#include "gui/views/timeline/legend_strip.h"
#include "gui/views/timeline/timeline_plot.h"

#include "analyzer/report/wording.h"

#include <QAction>
#include <QBoxLayout>
#include <QMenu>
#include <QScrollBar>
#include <QToolButton>
#include <QToolTip>

namespace iscsiscope::gui {

TimelineView::TimelineView(Document &document, QWidget *parent)
    : QWidget(parent), document_(document), plot_(new TimelinePlot(document)),
      scroll_(new QScrollBar(Qt::Vertical)), menu_(new QMenu(tr("Lines below the cycles"), this)) {
    scroll_->setAccessibleName(tr("Connections further down"));
    menu_->setToolTipsVisible(true);
    for (std::size_t i = 0; i < laneKindCount; ++i) {
        const auto kind = static_cast<LaneKind>(i);
        QAction *a = menu_->addAction(laneName(kind));
        a->setToolTip(laneMeaning(kind));
        a->setCheckable(true);
        a->setData(static_cast<int>(i));
        a->setChecked(std::find(plot_->lanes().begin(), plot_->lanes().end(), kind) != plot_->lanes().end());
    }
    connect(menu_, &QMenu::triggered, this, [this] {
        std::vector<LaneKind> kinds;
        for (const QAction *a : menu_->actions())
            if (a->isChecked())
                kinds.push_back(static_cast<LaneKind>(a->data().toInt()));
        plot_->setLanes(std::move(kinds));
    });
    auto *lines = new QToolButton;
    lines->setText(tr("Lines ▾"));
    lines->setAccessibleName(tr("Lines below the cycles"));
    lines->setToolTip(tr("Which lines are drawn below the cycles"));
    lines->setPopupMode(QToolButton::InstantPopup);
    lines->setMenu(menu_);

    auto *legend = new LegendStrip(document);
    auto *top = new QHBoxLayout;
    top->addWidget(legend, 1);
    top->addWidget(lines, 0, Qt::AlignTop);
    auto *middle = new QHBoxLayout;
    middle->setSpacing(0);
    middle->addWidget(plot_, 1);
    middle->addWidget(scroll_);
    auto *layout = new QVBoxLayout(this);
    layout->addLayout(top);
    layout->addLayout(middle, 1);

    connect(
        plot_, &TimelinePlot::lanesChanged, this,
        [this] {
            const int more = std::max(plot_->lanesHeight() - plot_->lanesVisible(), 0);
            scroll_->setRange(0, more);
            scroll_->setPageStep(std::max(plot_->lanesVisible(), 1));
            scroll_->setVisible(more > 0);
            scroll_->setValue(plot_->scrolled());
        });
    connect(scroll_, &QScrollBar::valueChanged, this, [this](int v) { plot_->scrollTo(v); });
    connect(plot_, &TimePlot::hovered, this, &TimelineView::hover);
    connect(plot_, &TimePlot::clicked, this, [this](const QPoint &at) {
        const auto hit = plot_->hit(at);
        document_.selectCycle(hit ? hit->cycle : std::nullopt);
    });
    connect(plot_, &TimePlot::doubleClicked, this, [this](const QPoint &at) {
        const auto hit = plot_->hit(at);
        if (hit && hit->cycle) {
            document_.selectCycle(hit->cycle);
            emit packetWanted(document_.selection().frame);
        }
    });
    scroll_->hide();
}

QString TimelineView::wordsAt(const QPoint &at) const {
    const auto hit = plot_->hit(at);
    if (!hit)
        return plot_->lineWordsAt(at);
    QStringList lines{plot_->rows()[hit->lane].toolTip};
    const Tables &t = document_.snapshot()->tables;
    if (hit->cycle) {
        const CycleRecord r = t.cycles.record(*hit->cycle);
        lines << tr("Cycle %1: %2 of %3, %4, frame %5")
                     .arg(r.cycle)
                     .arg(words(name(r.type)), byteWords(r.bytes_expected.value_or(0)),
                          words(name(r.outcome)))
                     .arg(r.command_frame);
        lines << tr("Response time %1")
                     .arg(durationWords(r.response_time ? std::optional(to_ns(*r.response_time))
                                                        : std::nullopt));
        for (const CycleFigure f : phase_figures)
            if (const auto v = figure(r, f); v && *v > Duration{0})
                lines << QString("    %1  %2").arg(words(name(f)), durationWords(to_ns(*v)));
    }
    if (hit->gap) {
        const GapRecord &g = t.gaps.record(*hit->gap);
        lines << tr("Idle %1: %2 (%3), frames %4 to %5")
                     .arg(durationWords(to_ns(g.length)), words(name(g.kind)), words(explanation(g.kind)))
                     .arg(g.before_frame)
                     .arg(g.after_frame);
    }
    return lines.join('\n');
}

void TimelineView::hover(const QPoint &at) {
    plot_->hover(at);
    const QString text = wordsAt(at);
    if (text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(plot_->mapToGlobal(at + QPoint(12, 12)), text, plot_);
    const TimeScale s = plot_->scale();
    emit pointedAt(secondWords(s.toTime(at.x()) - document_.snapshot()->origin, s.view.length() / 1000));
}

} // namespace iscsiscope::gui
