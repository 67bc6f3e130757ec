// SPDX-License-Identifier: GPL-2.0-or-later
// The ladder view: packets between the two hosts as arrows, time running downwards. It shows every packet of
// one connection; filters hide none, the selected cycle's packets stand out, and the range is marked.
#pragma once

#include "gui/models/ladder_model.h"

#include <QAbstractScrollArea>

namespace iscsiscope::gui {

class LadderView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit LadderView(Document &, QWidget *parent = nullptr);
    LadderModel &model() { return model_; }
    // Describes the packet or the gap there, in the viewport's coordinates; empty: nothing is there.
    QString tipAt(const QPoint &) const;
    QPoint placeOf(std::size_t packet) const; // the middle of its arrow, in the viewport

    // Zoom and pan about the middle of the time shown; the document's view follows.
    void zoom(double factor);
    void pan(double share);

signals:
    void packetWanted(OptionalFrame);

protected:
    bool viewportEvent(QEvent *) override; // tips
    void paintEvent(QPaintEvent *) override;
    void resizeEvent(QResizeEvent *) override { updateBars(); }
    void showEvent(QShowEvent *) override;
    void mousePressEvent(QMouseEvent *) override;
    void mouseDoubleClickEvent(QMouseEvent *) override;
    void wheelEvent(QWheelEvent *) override;
    void scrollContentsBy(int, int) override { viewport()->update(); }

private:
    void refresh();
    void updateBars();
    double yOf(Time t, double height) const;
    std::optional<std::size_t> packetAt(const QPoint &) const;
    int ladderHeight() const;
    // The parts of the picture: what scrolls, and what stays at the top and at the bottom of the viewport.
    void paintGaps(QPainter &, QSize) const;
    void paintRange(QPainter &, QSize) const;
    void paintPackets(QPainter &, QSize) const;
    void paintLabel(QPainter &, const LadderPacket &, QSize, bool bold, bool pale) const;
    void paintHeader(QPainter &, int width) const;
    void paintFooter(QPainter &, int width) const;
    QString footnote() const;
    std::optional<CycleId> chosenCycle() const; // the number of the selected one

    Document &document_;
    LadderModel model_;
    void refreshOrWait();

    bool stale_ = true;
    bool viewLeads_ = false; // the view was changed after the selection
    std::optional<Row> shown_;
};

} // namespace iscsiscope::gui
