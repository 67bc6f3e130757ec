// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/timeline/timeline_view.h"

#include "gui/models/timeline/incident_words.h"
#include "gui/models/words.h"
#include "gui/views/timeline/legend_strip.h"
#include "gui/views/timeline/timeline_plot.h"

#include "analyzer/base/number_format.h"
#include "analyzer/words/kind_words.h"

#include <QAction>
#include <QActionGroup>
#include <QBoxLayout>
#include <QInputDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScrollBar>
#include <QToolButton>
#include <QToolTip>

#include <cmath>

namespace iscsiscope::gui {

TimelineView::TimelineView(Document &document, QWidget *parent)
    : QWidget(parent), document_(document), plot_(new TimelinePlot(document)),
      scroll_(new QScrollBar(Qt::Vertical)), menu_(new QMenu(tr("Lines below the cycles"), this)),
      find_(new QLineEdit), count_(new QLabel) {
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
    lines->setMenu(linesMenu());

    auto *legend = new LegendStrip(document);
    auto *top = new QHBoxLayout;
    top->addWidget(legend, 1);
    top->addWidget(tracksBar(), 0, Qt::AlignTop);
    top->addWidget(lines, 0, Qt::AlignTop);
    connect(legend, &LegendStrip::shownChanged, this,
            [this, legend] { plot_->setIncidentsShown(legend->shown()); });
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
    connect(plot_, &TimelinePlot::tracksChanged, this, &TimelineView::showCount);
    scroll_->hide();
    showCount();
}

// The lines to show, and how throughput is counted.
QMenu *TimelineView::linesMenu() {
    auto *all = new QMenu(this);
    all->setToolTipsVisible(true);
    all->addActions(menu_->actions());
    QMenu *interval = all->addMenu(tr("Interval of the throughput"));
    auto *group = new QActionGroup(interval);
    const auto add = [&](const QString &text, std::optional<Duration> length) {
        QAction *a = interval->addAction(text, this, [this, length] { plot_->setThroughput({length}); });
        a->setCheckable(true);
        a->setChecked(plot_->throughput().interval == length);
        group->addAction(a);
    };
    add(tr("Automatic: 4 pixels each"), std::nullopt);
    for (const int ms : {1, 10, 100, 1'000, 5'000, 10'000, 60'000})
        add(durationWords(Duration{std::chrono::milliseconds(ms)}), std::chrono::milliseconds(ms));
    QAction *other = interval->addAction(tr("Other …"), this, [this] {
        bool good = false;
        const double seconds = QInputDialog::getDouble(this, tr("Interval of the throughput"),
                                                       tr("Length, seconds"), 1, 0.000001, 86'400, 6, &good);
        if (good)
            plot_->setThroughput({Duration{std::llround(seconds * 1e9)}});
    });
    other->setCheckable(true);
    group->addAction(other);
    return all;
}

// Find a track by its name, and the menu of all tracks.
QWidget *TimelineView::tracksBar() {
    auto *bar = new QWidget;
    auto *layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    find_->setObjectName("findTrack");
    find_->setPlaceholderText(tr("Find a track"));
    find_->setAccessibleName(tr("Find a track by its name"));
    find_->setToolTip(
        tr("Shows the connections whose number, address or iSCSI name contains this; Esc: all again"));
    find_->setClearButtonEnabled(true);
    find_->setMaximumWidth(150);
    connect(
        find_, &QLineEdit::textChanged, this,
        [this](const QString &text) {
            plot_->changeTracks([&](TrackList &t) { t.setWanted(text); });
            if (!text.trimmed().isEmpty() && !plot_->rows().empty())
                plot_->setCurrentTrack(plot_->rows().front().id);
        });
    connect(find_, &QLineEdit::returnPressed, this, [this] { plot_->setFocus(); });
    connect(&document_, &Document::opened, find_, &QLineEdit::clear);
    find_->installEventFilter(this);
    count_->setObjectName("tracksMissing");
    auto *button = new QToolButton;
    button->setText(tr("Tracks ▾"));
    button->setAccessibleName(tr("Tracks of the connections"));
    button->setToolTip(
        tr("Order, fold, pin and hide the tracks. A right click on a track, or the menu key, shows what can "
           "be done with it; Ctrl+Up and Ctrl+Down choose one."));
    button->setPopupMode(QToolButton::InstantPopup);
    auto *menu = new QMenu(button);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        plot_->fillTrackMenu(*menu, plot_->currentTrack());
    });
    button->setMenu(menu);
    layout->addWidget(count_);
    layout->addWidget(find_);
    layout->addWidget(button);
    return bar;
}

bool TimelineView::eventFilter(QObject *o, QEvent *e) {
    if (o == find_ && (e->type() == QEvent::KeyPress || e->type() == QEvent::ShortcutOverride) &&
        static_cast<QKeyEvent *>(e)->key() == Qt::Key_Escape) {
        e->accept(); // this field's, not the window's
        if (e->type() == QEvent::KeyPress) {
            find_->clear();
            plot_->setFocus();
        }
        return true;
    }
    return QWidget::eventFilter(o, e);
}

// Says when connections are not in sight because they are hidden or not looked for.
void TimelineView::showCount() {
    const std::size_t missing = plot_->tracks().missing(), all = plot_->tracks().connections();
    count_->setVisible(missing > 0);
    count_->setText(tr("%1 of %2 shown").arg(all - missing).arg(all));
    find_->setVisible(all > 1);
}

QString TimelineView::wordsAt(const QPoint &at) const {
    const auto hit = plot_->hit(at);
    if (!hit) {
        const QString line = plot_->lineWordsAt(at);
        return line.isEmpty() ? plot_->partWordsAt(at) : line;
    }
    if (!hit->cycle && !hit->gap)
        return plot_->partWordsAt(at);
    if (const QString incident = plot_->partWordsAt(at); incident != plot_->rows()[hit->lane].toolTip)
        return incident;
    QStringList lines{plot_->rows()[hit->lane].toolTip.section('\n', 0, 0)};
    const Tables &t = document_.snapshot()->tables;
    if (hit->cycle) {
        const CycleRecord r = t.cycles.record(*hit->cycle);
        lines << tr("Cycle %1: %2 of %3, %4, frame %5")
                     .arg(r.cycle.number)
                     .arg(readable(name(r.type)), byteWords(r.bytes_expected.value_or(0)),
                          readable(name(r.outcome)))
                     .arg(words(human::frame(r.command_frame)));
        lines << tr("Response time %1").arg(durationWords(r.response_time));
        if (const MatchedLanes *m = plot_->matched(); m != nullptr && !m->rows[*hit->cycle])
            lines << tr("Dimmed: outside of the range or the filter");
        for (const CycleFigure f : phase_figures)
            if (const auto v = figure(r, f); v && *v > Duration{0})
                lines << QString("    %1  %2").arg(readable(name(f)), durationWords(*v));
    }
    if (hit->gap) {
        const GapRecord &g = t.gaps.record(*hit->gap);
        lines << tr("Idle %1: %2 (%3), frames %4 to %5")
                     .arg(durationWords(g.length), readable(name(g.kind)), words(explanation(g.kind)))
                     .arg(g.before_frame)
                     .arg(g.after_frame ? QString::number(*g.after_frame) : tr("the end"));
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
