// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/cycles/cycle_grid.h"

#include "gui/models/aggregates/cycle_brush.h"
#include "gui/models/cycles/cycle_table_model.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>

#include <array>

namespace iscsiscope::gui {
namespace {

constexpr int pad = 6;
// Shown at first; the others are a click in the header's menu away.
constexpr std::array firstColumns = {"cycle",         "stream",
                                     "type",          "lun",
                                     "lba",           "bytes_expected",
                                     "start_ns",      "response_time_ns",
                                     "cycle_time_ns", "target_service_ns",
                                     "idle_ns",       "r2t_count",
                                     "queue_depth",   "retransmitted_segments",
                                     "outcome",       "command_frame"};

} // namespace

CycleGrid::CycleGrid(CycleTableModel &model, QWidget *parent)
    : QAbstractScrollArea(parent), model_(model), header_(new QHeaderView(Qt::Horizontal, this)) {
    setObjectName("cycleGrid");
    setAccessibleName(tr("Cycles"));
    setFocusPolicy(Qt::StrongFocus);
    header_->setModel(&model_);
    header_->setSectionsClickable(true);
    header_->setSectionsMovable(true);
    header_->setHighlightSections(false);
    header_->setSortIndicatorShown(true);
    header_->setSortIndicator(-1, Qt::AscendingOrder);
    header_->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header_->setContextMenuPolicy(Qt::ActionsContextMenu);
    for (int c = 0; c < model_.columnCount(); ++c) {
        const QString name = model_.headerData(c, Qt::Horizontal, CycleTableModel::ExactRole).toString();
        const bool shown = std::find_if(firstColumns.begin(), firstColumns.end(),
                                        [&](const char *n) { return name == n; }) != firstColumns.end();
        header_->setSectionHidden(c, !shown);
        const QString title = model_.headerData(c, Qt::Horizontal).toString();
        header_->resizeSection(c, std::max(fontMetrics().horizontalAdvance(title) + 34, 76));
        auto *action = new QAction(title, header_);
        action->setCheckable(true);
        action->setChecked(shown);
        connect(action, &QAction::toggled, this, [this, c](bool on) {
            header_->setSectionHidden(c, !on);
            updateBars();
        });
        header_->addAction(action);
    }
    connect(header_, &QHeaderView::sectionClicked, this, [this](int c) {
        const bool again = model_.sortColumn() == c;
        const bool down = again && model_.sortOrder() == Qt::AscendingOrder;
        if (again && !down) {
            header_->setSortIndicator(-1, Qt::AscendingOrder);
            model_.sort(-1); // third click: the order of arrival
            return;
        }
        header_->setSortIndicator(c, down ? Qt::DescendingOrder : Qt::AscendingOrder);
        model_.sort(c, down ? Qt::DescendingOrder : Qt::AscendingOrder);
    });
    connect(header_, &QHeaderView::sectionResized, this, &CycleGrid::updateBars);
    connect(header_, &QHeaderView::sectionMoved, this, [this] { viewport()->update(); });
    connect(&model_, &QAbstractItemModel::modelReset, this, [this] {
        current_ = -1;
        updateBars();
    });
    verticalScrollBar()->setSingleStep(1);
    updateBars();
}

void CycleGrid::setBrush(CycleBrush &brush) {
    brush_ = &brush;
    connect(&brush, &CycleBrush::changed, viewport(), qOverload<>(&QWidget::update));
}

int CycleGrid::rowHeight() const {
    return fontMetrics().height() + 5;
}

int CycleGrid::rowsInSight() const {
    return std::max(viewport()->height() / rowHeight(), 1);
}

void CycleGrid::updateBars() {
    const int top = header_->sizeHint().height();
    setViewportMargins(0, top, 0, 0);
    const QRect v = viewport()->geometry();
    header_->setGeometry(v.left(), v.top() - top, v.width(), top);
    header_->setOffset(horizontalScrollBar()->value());
    verticalScrollBar()->setRange(0, std::max(model_.rowCount() - rowsInSight(), 0)); // in rows
    verticalScrollBar()->setPageStep(rowsInSight());
    horizontalScrollBar()->setRange(0, std::max(header_->length() - viewport()->width(), 0));
    horizontalScrollBar()->setPageStep(viewport()->width());
    viewport()->update();
}

void CycleGrid::paintEvent(QPaintEvent *) {
    QPainter p(viewport());
    const int height = rowHeight(), first = verticalScrollBar()->value();
    if (model_.rowCount() == 0) {
        p.setPen(palette().color(QPalette::PlaceholderText));
        p.drawText(viewport()->rect(), Qt::AlignCenter,
                   model_.snapshot()->tables.cycles.size() == 0 ? tr("No cycles in this capture.")
                                                                : tr("No cycle passes range and filters."));
        return;
    }
    for (int i = 0; i <= rowsInSight() && first + i < model_.rowCount(); ++i) {
        const int row = first + i;
        const QRect line(0, i * height, viewport()->width(), height);
        const bool chosen = row == current_;
        if (chosen)
            p.fillRect(line, palette().color(QPalette::Highlight));
        else if (row % 2 == 1)
            p.fillRect(line, palette().color(QPalette::AlternateBase));
        if (brush_ && brush_->box() &&
            brush_->box()->holds(model_.snapshot()->tables.cycles, model_.cycleAt(row))) {
            QColor tint = palette().color(QPalette::Highlight);
            p.fillRect(QRect(line.left(), line.top(), 4, height), tint);
            tint.setAlpha(50);
            p.fillRect(line, tint);
        }
        p.setPen(palette().color(chosen ? QPalette::HighlightedText : QPalette::Text));
        for (int visual = 0; visual < header_->count(); ++visual) {
            const int c = header_->logicalIndex(visual);
            const int x = header_->sectionViewportPosition(c), width = header_->sectionSize(c);
            if (header_->isSectionHidden(c) || x + width < 0 || x > viewport()->width())
                continue;
            const QModelIndex index = model_.index(row, c);
            const QRect cell(x + pad, line.top(), width - 2 * pad, height);
            p.drawText(cell, model_.data(index, Qt::TextAlignmentRole).toInt(),
                       fontMetrics().elidedText(model_.data(index).toString(), Qt::ElideRight, cell.width()));
        }
    }
}

void CycleGrid::resizeEvent(QResizeEvent *) {
    updateBars();
}

void CycleGrid::scrollContentsBy(int, int) {
    header_->setOffset(horizontalScrollBar()->value());
    viewport()->update();
}

void CycleGrid::changeEvent(QEvent *e) {
    QAbstractScrollArea::changeEvent(e);
    if (e->type() == QEvent::FontChange || e->type() == QEvent::PaletteChange)
        updateBars();
}

void CycleGrid::setCurrentRow(int row) {
    current_ = row;
    if (row >= 0) {
        const int first = verticalScrollBar()->value();
        if (row < first || row >= first + rowsInSight())
            verticalScrollBar()->setValue(row - rowsInSight() / 2);
    }
    viewport()->update();
}

void CycleGrid::choose(int row) {
    if (model_.rowCount() == 0)
        return;
    setCurrentRow(std::clamp(row, 0, model_.rowCount() - 1));
    emit rowChosen(current_);
}

void CycleGrid::mousePressEvent(QMouseEvent *e) {
    const int row = verticalScrollBar()->value() + e->pos().y() / rowHeight();
    if (row < model_.rowCount())
        choose(row);
}

void CycleGrid::mouseDoubleClickEvent(QMouseEvent *) {
    if (current_ >= 0)
        emit rowActivated(current_);
}

void CycleGrid::keyPressEvent(QKeyEvent *e) {
    switch (e->key()) {
    case Qt::Key_Down:
        choose(current_ + 1);
        break;
    case Qt::Key_Up:
        choose(current_ - 1);
        break;
    case Qt::Key_PageDown:
        choose(current_ + rowsInSight());
        break;
    case Qt::Key_PageUp:
        choose(current_ - rowsInSight());
        break;
    case Qt::Key_Home:
        choose(0);
        break;
    case Qt::Key_End:
        choose(model_.rowCount() - 1);
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (current_ >= 0)
            emit rowActivated(current_);
        break;
    default:
        QAbstractScrollArea::keyPressEvent(e);
        return;
    }
    e->accept();
}

} // namespace iscsiscope::gui
