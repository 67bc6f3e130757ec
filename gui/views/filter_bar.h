// SPDX-License-Identifier: GPL-2.0-or-later
// The filter bar: a line in which a filter is written, with completion, and a chip for each active filter and
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
    // Adds the filter, or shows the mistake in it.
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
