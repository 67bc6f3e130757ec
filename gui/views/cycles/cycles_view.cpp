// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/cycles/cycles_view.h"

#include "gui/models/cycle_table_model.h"
#include "gui/models/words.h"
#include "gui/views/cycles/chart_plot.h"
#include "gui/views/cycles/cycle_grid.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QSplitter>

namespace iscsiscope::gui {

CyclesView::CyclesView(Document &document, QWidget *parent)
    : QWidget(parent), document_(document), model_(new CycleTableModel(document, this)),
      grid_(new CycleGrid(*model_)), chart_(new ChartPlot(document)), kinds_(new QComboBox),
      count_(new QLabel) {
    kinds_->addItems({tr("Response time over time"), tr("Response time over time, density"),
                      tr("Response time, histogram"), tr("Response time, cumulated"), tr("LBA over time")});
    kinds_->setAccessibleName(tr("Kind of chart"));
    connect(kinds_, &QComboBox::currentIndexChanged, this,
            [this](int i) { chart_->setKind(static_cast<ChartKind>(i)); });
    auto *right = new QWidget;
    auto *rightLayout = new QVBoxLayout(right);
    rightLayout->setContentsMargins(0, 0, 0, 0);
    rightLayout->addWidget(kinds_);
    rightLayout->addWidget(chart_, 1);
    auto *left = new QWidget;
    auto *leftLayout = new QVBoxLayout(left);
    leftLayout->setContentsMargins(0, 0, 0, 0);
    leftLayout->addWidget(count_);
    leftLayout->addWidget(grid_, 1);
    auto *split = new QSplitter;
    split->addWidget(left);
    split->addWidget(right);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setSizes({700, 440});
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(split);
    connect(grid_, &CycleGrid::rowChosen, this,
            [this](int row) { document_.selectCycle(model_->cycleAt(row)); });
    connect(grid_, &CycleGrid::rowActivated, this, [this](int row) {
        document_.selectCycle(model_->cycleAt(row));
        emit packetWanted(document_.selection().frame);
    });
    connect(&document, &Document::selectionChanged, this, &CyclesView::followSelection);
    connect(model_, &QAbstractItemModel::modelReset, this, &CyclesView::followSelection);
    connect(model_, &QAbstractItemModel::modelReset, this, &CyclesView::showCount);
    connect(model_, &CycleTableModel::sortingChanged, this, &CyclesView::showCount);
    showCount();
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
