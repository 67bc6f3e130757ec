// SPDX-License-Identifier: GPL-2.0-or-later
// TimeBarsWidget shows the time bars of time_split.h, with a legend beneath each.
#pragma once

#include "gui/document/document.h"
#include "gui/models/time_split.h"

#include <QWidget>

namespace iscsiscope::gui {

// Texts by the rectangles of the widget that they belong to.
using Tips = std::vector<std::pair<QRect, QString>>;

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
    // Paints, or only measures when the painter is null. Returns the height in pixels.
    int layOut(QPainter *, int width) const;

    Document &document_;
    std::vector<TimeBar> bars_;
    mutable Tips tips_;
};

// Shows or hides the tip at the pointer if the event asks for one. Returns false for other events.
bool showTip(QEvent *, QWidget *, const Tips &);
// A filled square of a slice, hatched if it is idle time.
void paintSwatch(QPainter &, const QRect &, QColor, Hatch);

} // namespace iscsiscope::gui
