// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "gui/document/document.h"
#include "gui/models/hatch.h"
#include "gui/views/time_bars_widget.h"

#include <QWidget>

namespace iscsiscope::gui {

// Legend of the phases and gap kinds in the capture, with colours and the glossary's sentences as tips.
class LegendStrip : public QWidget {
    Q_OBJECT
public:
    explicit LegendStrip(Document &, QWidget *parent = nullptr);
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return layOut(nullptr, width); }
    QSize sizeHint() const override { return {600, layOut(nullptr, 600)}; }
    QSize minimumSizeHint() const override { return {100, 18}; }

protected:
    void paintEvent(QPaintEvent *) override;
    bool event(QEvent *) override;

private:
    int layOut(QPainter *, int width) const;
    void refresh();

    struct Entry {
        QString name, explanation;
        QColor color;
        Hatch hatch;
    };
    Document &document_;
    std::vector<Entry> entries_;
    mutable Tips tips_;
};

} // namespace iscsiscope::gui
