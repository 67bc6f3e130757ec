// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "gui/document/document.h"
#include "gui/models/hatch.h"
#include "gui/views/time_bars_widget.h"

#include <QWidget>

#include <map>

namespace iscsiscope::gui {

// Legend of the phases, gap kinds and incidents in the capture, with colours and the glossary's sentences as
// tips. A click on a kind of incident hides or shows it.
class LegendStrip : public QWidget {
    Q_OBJECT
public:
    explicit LegendStrip(Document &, QWidget *parent = nullptr);
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return layOut(nullptr, width); }
    QSize sizeHint() const override { return {600, layOut(nullptr, 600)}; }
    QSize minimumSizeHint() const override { return {100, 18}; }

    const std::array<bool, incidentKinds> &shown() const { return shown_; }
    // Where the entry of a kind of incident is; empty: there is none.
    QRect placeOf(IncidentKind) const;

signals:
    void shownChanged();

protected:
    void mousePressEvent(QMouseEvent *) override;
    void paintEvent(QPaintEvent *) override;
    bool event(QEvent *) override;

private:
    int layOut(QPainter *, int width) const;
    void refresh();

    struct Entry {
        QString name, explanation;
        QColor color;
        Hatch hatch;
        std::optional<IncidentKind> incident;
    };
    Document &document_;
    std::vector<Entry> entries_;
    std::array<bool, incidentKinds> shown_{true, true, true, true, true};
    mutable std::map<IncidentKind, QRect> places_;
    mutable Tips tips_;
};

} // namespace iscsiscope::gui
