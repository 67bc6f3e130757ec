// SPDX-License-Identifier: GPL-2.0-or-later
// The ladder view: packets between the two hosts as arrows, time running downwards.
#pragma once

#include "gui/models/ladder_model.h"

#include <QAbstractScrollArea>

namespace iscsiscope::gui {

class LadderView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit LadderView(Document &, QWidget *parent = nullptr);
    LadderModel &model() { return model_; }
    // Paints the whole ladder in this size, for exported pictures.
    void paintLadder(QPainter &, QSize) const;

    // Zoom and pan about the middle of the time shown; the document's view follows.
    void zoom(double factor);
    void pan(double share);

signals:
    void packetWanted(quint64 frame);

protected:
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
    double yOf(std::int64_t t, double height) const;
    std::optional<std::size_t> packetAt(const QPoint &) const;
    int ladderHeight() const;

    Document &document_;
    LadderModel model_;
    void refreshOrWait();

    bool stale_ = true;
    bool viewLeads_ = false; // the view was changed after the selection
    std::optional<Row> shown_;
};

} // namespace iscsiscope::gui
