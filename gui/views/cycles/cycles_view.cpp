// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/cycles/cycles_view.h"

#include "gui/models/cycles/cycle_table_model.h"
#include "gui/models/words.h"
#include "gui/views/cycles/aggregates_panel.h"
#include "gui/views/cycles/chart_plot.h"
#include "gui/views/cycles/cycle_grid.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QSplitter>
#include <QToolButton>

namespace iscsiscope::gui {

CyclesView::CyclesView(Document &document, QWidget *parent)
    : QWidget(parent), document_(document), brush_(document), model_(new CycleTableModel(document, this)),
      grid_(new CycleGrid(*model_)), chart_(new ChartPlot(document, brush_)),
      aggregates_(new AggregatesPanel(document, brush_)), kinds_(new QComboBox), boxes_(new QToolButton),
      count_(new QLabel) {
    kinds_->addItems({tr("Response time over time"), tr("Response time over time, density"),
                      tr("Response time, histogram"), tr("Response time, cumulated"), tr("LBA over time")});
    kinds_->setAccessibleName(tr("Kind of chart"));
    boxes_->setText(tr("Box"));
    boxes_->setCheckable(true);
    boxes_->setToolTip(
        tr("Drag a box over the cycles for the figures of those in it. Without this button: drag with "
           "Ctrl; a plain drag selects a range."));
    boxes_->setAccessibleName(tr("A drag draws a box"));
    connect(boxes_, &QToolButton::toggled, chart_, &ChartPlot::setBoxes);
    connect(kinds_, &QComboBox::currentIndexChanged, this, [this](int i) {
        chart_->setKind(static_cast<ChartKind>(i));
        boxes_->setEnabled(!chart_->isDistribution()); // there every drag does
    });
    auto *right = new QWidget;
    auto *rightLayout = new QVBoxLayout(right);
    rightLayout->setContentsMargins(0, 0, 0, 0);
    auto *above = new QHBoxLayout;
    above->addWidget(kinds_, 1);
    above->addWidget(boxes_);
    rightLayout->addLayout(above);
    rightLayout->addWidget(chart_, 1);
    auto *left = new QWidget;
    auto *leftLayout = new QVBoxLayout(left);
    leftLayout->setContentsMargins(0, 0, 0, 0);
    leftLayout->addWidget(count_);
    leftLayout->addWidget(grid_, 1);
    auto *split = new QSplitter;
    split->setObjectName("cyclesAndChart");
    split->addWidget(left);
    split->addWidget(right);
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 1);
    split->setSizes({560, 520});
    auto *all = new QSplitter(Qt::Vertical);
    all->setObjectName("cyclesAndAggregates");
    all->addWidget(split);
    all->addWidget(aggregates_);
    all->setStretchFactor(0, 1);
    all->setSizes({500, 150});
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addWidget(all);
    grid_->setBrush(brush_);
    grid_->viewport()->setContextMenuPolicy(Qt::NoContextMenu);
    grid_->setContextMenuPolicy(Qt::CustomContextMenu);
    chart_->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(grid_, &QWidget::customContextMenuRequested, this,
            [this](const QPoint &at) { showCycleMenu(grid_->mapToGlobal(at)); });
    connect(
        chart_, &QWidget::customContextMenuRequested, this,
        [this](const QPoint &at) {
            if (const auto row = chart_->cycleAt(at))
                document_.selectCycle(*row);
            showCycleMenu(chart_->mapToGlobal(at));
        });
    connect(grid_, &CycleGrid::rowChosen, this,
            [this](int row) { document_.selectCycle(model_->cycleAt(row)); });
    connect(
        grid_, &CycleGrid::rowActivated, this,
        [this](int row) {
            document_.selectCycle(model_->cycleAt(row));
            emit packetWanted(document_.selection().frame);
        });
    connect(chart_, &TimePlot::doubleClicked, this, [this](const QPoint &at) {
        if (chart_->cycleAt(at))
            emit packetWanted(document_.selection().frame);
    });
    connect(&document, &Document::selectionChanged, this, &CyclesView::followSelection);
    connect(model_, &QAbstractItemModel::modelReset, this, &CyclesView::followSelection);
    connect(model_, &QAbstractItemModel::modelReset, this, &CyclesView::showCount);
    connect(model_, &CycleTableModel::sortingChanged, this, &CyclesView::showCount);
    showCount();
}

bool CyclesView::filterLikeSelected() {
    const auto cycle = document_.selection().cycle;
    if (!cycle)
        return false;
    document_.addFilter(likeExpression(document_.snapshot()->tables, *cycle));
    return true;
}

void CyclesView::showCycleMenu(const QPoint &global) {
    const auto cycle = document_.selection().cycle;
    if (!cycle)
        return;
    const CycleStore &c = document_.snapshot()->tables.cycles;
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName("cycleMenu");
    menu->addAction(tr("Cycles like this one: %1").arg(likeExpression(document_.snapshot()->tables, *cycle)),
                    this, [this] { filterLikeSelected(); });
    const QString connection = QString("stream == %1").arg(c.stream(*cycle).number);
    menu->addAction(tr("Cycles of this connection: %1").arg(connection), this,
                    [this, connection] { document_.addFilter(connection); });
    menu->addSeparator();
    menu->addAction(
        tr("Range: this cycle"), this,
        [this, from = c.start(*cycle), to = c.end(*cycle)] {
            document_.setRange(Interval{from, to + Duration{1}});
        });
    menu->addAction(tr("The packet in Wireshark"), this,
                    [this] { emit packetWanted(document_.selection().frame); });
    menu->popup(global);
}

// Escape takes the box away before the window's action takes anything else.
bool CyclesView::event(QEvent *e) {
    if (e->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent *>(e)->key() == Qt::Key_Escape &&
        brush_.box()) {
        e->accept();
        return true;
    }
    return QWidget::event(e);
}

void CyclesView::keyPressEvent(QKeyEvent *e) {
    if (e->key() == Qt::Key_Escape && brush_.box())
        brush_.clear();
    else
        QWidget::keyPressEvent(e);
}

void CyclesView::followSelection() {
    const auto cycle = document_.selection().cycle;
    grid_->setCurrentRow(cycle ? model_->rowOf(*cycle) : -1);
}

void CyclesView::showCount() {
    const auto all = static_cast<std::uint64_t>(document_.snapshot()->tables.cycles.size());
    const auto shown = static_cast<std::uint64_t>(model_->rowCount());
    QString text = shown == all ? tr("%1 cycles").arg(countWords(all))
                                : tr("%1 of %2 cycles").arg(countWords(shown), countWords(all));
    if (model_->sorting())
        text += tr(", sorting …");
    count_->setText(text + tr("  (right click on a heading: more columns)"));
}

} // namespace iscsiscope::gui
