// SPDX-License-Identifier: GPL-2.0-or-later
// Two dialogs with all actions: ActionPalette runs them by name, shortcutList() shows their keys.
#pragma once

#include <QDialog>

class QAction;
class QLineEdit;
class QListWidget;

namespace iscsiscope::gui {

class ActionPalette : public QDialog {
    Q_OBJECT
public:
    ActionPalette(const QList<QAction *> &, QWidget *parent);

protected:
    bool eventFilter(QObject *, QEvent *) override;

private:
    void narrow(const QString &);
    void run();

    QList<QAction *> actions_;
    QLineEdit *edit_;
    QListWidget *list_;
};

// A dialog with every action and its keys.
QDialog *shortcutList(const QList<QAction *> &, QWidget *parent);

} // namespace iscsiscope::gui
