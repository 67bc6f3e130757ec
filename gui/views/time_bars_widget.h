// SPDX-License-Identifier: GPL-2.0-or-later
// Bars that split time, with a legend beneath each.
#pragma once

#include "gui/document/document.h"
#include "gui/models/time_split.h"

#include <QWidget>

namespace iscsiscope::gui {

class TimeBarsWidget : public QWidget {
    Q_OBJECT
public:
    explicit TimeBarsWidget(Document &, QWidget *parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {200, 60}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent *) override;
    bool event(QEvent *) override;

private:
    void refresh();
    // Paints, or only measures when the painter is null. Gives the height.
    int layOut(QPainter *, int width) const;

    Document &document_;
    std::vector<TimeBar> bars_;
    mutable std::vector<std::pair<QRect, QString>> tips_;
};

// A filled square of a slice, hatched if it is idle time.
void paintSwatch(QPainter &, const QRect &, QColor, Hatch);

} // namespace iscsiscope::gui
