// SPDX-License-Identifier: GPL-2.0-or-later
// VerdictPanel shows the verdict on the range and the headline numbers, in the words of the text report.
#pragma once

#include "gui/document/document.h"

#include <QWidget>

class QLabel;

namespace iscsiscope::gui {

class VerdictPanel : public QWidget {
    Q_OBJECT
public:
    explicit VerdictPanel(Document &, QWidget *parent = nullptr);

private:
    void refresh();

    Document &document_;
    QLabel *verdict_, *numbers_;
};

} // namespace iscsiscope::gui
