// SPDX-License-Identifier: GPL-2.0-or-later
// CycleGrid is a table that paints only the visible rows. QTableView keeps data for each row, which is too
// much for ten million rows.
#pragma once

#include <QAbstractScrollArea>
#include <QPointer>

class QHeaderView;

namespace iscsiscope::gui {

class CycleBrush;
class CycleTableModel;

class CycleGrid : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit CycleGrid(CycleTableModel &, QWidget *parent = nullptr);

    int currentRow() const { return current_; }
    void setCurrentRow(int); // scrolls to it and emits no signal; -1: none
    int rowHeight() const;
    int rowsInSight() const;
    QHeaderView &header() { return *header_; }
    // Rows whose cycles its box holds are marked.
    void setBrush(CycleBrush &);

signals:
    void rowChosen(int row);
    void rowActivated(int row);

protected:
    void paintEvent(QPaintEvent *) override;
    void resizeEvent(QResizeEvent *) override;
    void mousePressEvent(QMouseEvent *) override;
    void mouseDoubleClickEvent(QMouseEvent *) override;
    void keyPressEvent(QKeyEvent *) override;
    void scrollContentsBy(int dx, int dy) override;
    void changeEvent(QEvent *) override;

private:
    void updateBars();
    void choose(int row);

    CycleTableModel &model_;
    QHeaderView *header_;
    QPointer<CycleBrush> brush_;
    int current_ = -1;
};

} // namespace iscsiscope::gui
