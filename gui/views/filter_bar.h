// SPDX-License-Identifier: GPL-2.0-or-later
// The one place of filters: a line to write one, with completion, and a chip for each that is active, and
// for the range.
#pragma once

#include "gui/document/document.h"

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
    // Adds it, or shows what is wrong with it.
    void apply(const QString &expression);

private:
    void rebuildChips();
    QWidget *chip(const QString &text, const QString &what, std::function<void()> remove);

    Document &document_;
    QLineEdit *edit_;
    QLabel *mistake_;
    QWidget *chips_;
    QBoxLayout *chipsLayout_;
};

} // namespace iscsiscope::gui
