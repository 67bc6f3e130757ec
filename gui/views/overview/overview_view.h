// SPDX-License-Identifier: GPL-2.0-or-later
// The overview: facts on the capture, figures by type, time bars, findings and the tree of sessions.
#pragma once

#include "gui/document/document.h"

#include <QWidget>

class QGroupBox;
class QLabel;
class QListView;
class QTableWidget;
class QTreeView;

namespace iscsiscope::gui {

class FindingsModel;
class SessionTreeModel;
class TimeBarsWidget;

class OverviewView : public QWidget {
    Q_OBJECT
public:
    explicit OverviewView(Document &, QWidget *parent = nullptr);

signals:
    void filterWanted(const QString &expression);
    void frameWanted(quint64 frame);

protected:
    bool eventFilter(QObject *, QEvent *) override;

private:
    void refreshFacts();
    void refreshCycles();
    void showScope();
    void fitCycles();
    void showFinding(const QModelIndex &);

    Document &document_;
    QLabel *facts_, *note_, *finding_, *cover_;
    QTableWidget *cycles_;
    QListView *findings_;
    FindingsModel *findingsModel_;
    SessionTreeModel *treeModel_;
    QTreeView *tree_;
    TimeBarsWidget *bars_ = nullptr;
    QGroupBox *cyclesBox_ = nullptr, *barsBox_ = nullptr, *findingsBox_ = nullptr, *treeBox_ = nullptr;
};

} // namespace iscsiscope::gui
