// SPDX-License-Identifier: GPL-2.0-or-later
// The panel beside every view with the figures of the range and of the selected cycle.
#pragma once

#include "gui/document/document.h"

#include <QWidget>

class QLabel;
class QListWidget;

namespace iscsiscope::gui {

class StatisticsPanel : public QWidget {
    Q_OBJECT
public:
    explicit StatisticsPanel(Document &, QWidget *parent = nullptr);

signals:
    void packetWanted(OptionalFrame);

private:
    void showRange();
    void showSelection();

    Document &document_;
    QLabel *range_, *cycle_;
    QListWidget *steps_;
};

} // namespace iscsiscope::gui
