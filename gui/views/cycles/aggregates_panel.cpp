// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/cycles/aggregates_panel.h"

#include "gui/models/words.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTableView>

#include <algorithm>

namespace iscsiscope::gui {

AggregatesPanel::AggregatesPanel(Document &document, CycleBrush &brush, QWidget *parent)
    : QWidget(parent), document_(document), brush_(brush), model_(new AggregatesModel(document, brush, this)),
      heading_(new QLabel), groupings_(new QComboBox), keep_(new QPushButton(tr("Keep as &filter"))),
      clear_(new QPushButton(tr("Clear the bo&x"))), table_(new QTableView) {
    setObjectName("aggregates");
    setAccessibleName(tr("Aggregates of the selected cycles"));
    heading_->setObjectName("aggregatesHeading");
    heading_->setTextFormat(Qt::PlainText);
    heading_->setWordWrap(true);
    for (const Grouping g : {Grouping::type, Grouping::lun, Grouping::connection, Grouping::session,
                             Grouping::size, Grouping::outcome})
        groupings_->addItem(tr("by %1").arg(groupingWords(g)), static_cast<int>(g));
    groupings_->setAccessibleName(tr("What the cycles are grouped by"));
    groupings_->setToolTip(tr("What the cycles are grouped by; reads, writes and control tasks stay apart"));
    keep_->setToolTip(tr("The box becomes the range and a filter, which limit every view"));
    clear_->setToolTip(tr("Takes the box away (Esc)"));
    table_->setModel(model_);
    table_->setAccessibleName(tr("Count, sums and quantiles of the cycles by group"));
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setAlternatingRowColors(true);
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 5);
    table_->setContextMenuPolicy(Qt::CustomContextMenu);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    table_->setSortingEnabled(true);
    auto *line = new QHBoxLayout;
    line->addWidget(heading_, 1);
    line->addWidget(keep_);
    line->addWidget(clear_);
    line->addWidget(groupings_);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(line);
    layout->addWidget(table_, 1);
    connect(groupings_, &QComboBox::currentIndexChanged, this,
            [this] { model_->setGrouping(static_cast<Grouping>(groupings_->currentData().toInt())); });
    connect(keep_, &QPushButton::clicked, &brush, &CycleBrush::keep);
    connect(clear_, &QPushButton::clicked, &brush, &CycleBrush::clear);
    connect(table_, &QTableView::doubleClicked, this,
            [this](const QModelIndex &i) { model_->filterGroup(i.row()); });
    connect(table_, &QWidget::customContextMenuRequested, this, &AggregatesPanel::showMenu);
    connect(&brush, &CycleBrush::changed, this, &AggregatesPanel::showHeading);
    connect(&document, &Document::filtersChanged, this, &AggregatesPanel::showHeading);
    connect(&document, &Document::rangeChanged, this, &AggregatesPanel::showHeading);
    connect(model_, &QAbstractItemModel::modelReset, this, [this] {
        showHeading();
        const Aggregates &a = model_->aggregates();
        table_->setColumnHidden(AggregatesModel::Group, a.grouping == Grouping::type);
        table_->setColumnHidden(AggregatesModel::Answered,
                                std::all_of(a.rows.begin(), a.rows.end(),
                                            [](const AggregateRow &r) { return r.answered == r.count; }));
        table_->resizeColumnsToContents();
    });
    showHeading();
}

QString AggregatesPanel::heading() const {
    const Aggregates &a = model_->aggregates();
    const QString sums = tr("%1 moved, %2 of response time").arg(byteWords(a.bytes), durationWords(a.time));
    if (const auto &box = brush_.box()) {
        const QString limits = box->inWords(document_.snapshot()->origin);
        if (model_->pending())
            return tr("Box: … of %1 cycles (%2)").arg(countWords(a.of), limits);
        return tr("Box: %1 of %2 cycles (%3); %4").arg(countWords(a.count), countWords(a.of), limits, sums);
    }
    const bool range = document_.range().has_value(), filter = !document_.filters().isEmpty();
    return (range && filter ? tr("Range and filter: %1 cycles; %2")
            : range         ? tr("Range: %1 cycles; %2")
            : filter        ? tr("Filter: %1 cycles; %2")
                            : tr("Whole capture: %1 cycles; %2"))
        .arg(countWords(a.count), sums);
}

void AggregatesPanel::showHeading() {
    heading_->setText(heading());
    const bool box = brush_.box().has_value();
    keep_->setVisible(box);
    clear_->setVisible(box);
    if (box) {
        const QString expression = brush_.box()->expression();
        heading_->setToolTip(expression.isEmpty() ? QString() : tr("As a filter: %1").arg(expression));
    } else {
        heading_->setToolTip(
            tr("Drag over the histogram, or with Ctrl over a chart, for the figures of a part."));
    }
}

void AggregatesPanel::showMenu(const QPoint &at) {
    const QModelIndex i = table_->indexAt(at);
    if (!i.isValid())
        return;
    auto *menu = new QMenu(table_);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(
        tr("Only these cycles: %1").arg(i.siblingAtColumn(0).data(AggregatesModel::FilterRole).toString()),
        this, [this, row = i.row()] { model_->filterGroup(row); });
    menu->popup(table_->viewport()->mapToGlobal(at));
}

} // namespace iscsiscope::gui
