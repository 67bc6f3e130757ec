// SPDX-License-Identifier: GPL-2.0-or-later
// The filter bar: a line in which a filter is written, with completion, and a chip for each active filter and
// for the range. Enter sets the filter and gives the focus back to the widget that had it before; a filter
// with a mistake stays, with the focus, and the mistake is shown below it. Chips are removed by a click,
// Enter, Space, Delete or Backspace; Left and Right go from chip to chip, Backspace or Left at the start of
// the line to the last.
#pragma once

#include "gui/document/document.h"

#include <QPointer>
#include <QWidget>

class QBoxLayout;
class QLabel;
class QLineEdit;

namespace iscsiscope::gui {

class FilterBar : public QWidget {
    Q_OBJECT
public:
    explicit FilterBar(Document &, QWidget *parent = nullptr);
    QLineEdit &edit() { return *edit_; }
    // Adds the filter, or shows the mistake in it.
    void apply(const QString &expression);
    // One step outwards, as Esc asks: hides the mistake, else gives the focus back. False: nothing to do.
    bool stepOut();

signals:
    void focusGivenBack(); // and no widget is known that had it before

protected:
    bool eventFilter(QObject *, QEvent *) override;

private:
    void giveBack();
    QList<QWidget *> chips() const;
    bool chipKey(QWidget *chip, int key);
    void rebuildChips();
    QWidget *chip(const QString &text, const QString &what, std::function<void()> remove);

    Document &document_;
    QLineEdit *edit_;
    QLabel *mistake_;
    QWidget *chips_;
    QBoxLayout *chipsLayout_;
    QPointer<QWidget> before_; // had the focus before
};

} // namespace iscsiscope::gui
