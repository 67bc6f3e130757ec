// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "gui/models/timeline/lane_series.h"
#include "gui/views/theme.h"

#include <qcustomplot.h>

namespace iscsiscope::gui {

// The legend of a lane's lines, in a few rows above the lane. Entries that do not fit are counted; the tip of
// the count names them. Entries whose lines are hidden are struck out.
class LaneLegend : public QCPLayoutElement {
public:
    explicit LaneLegend(QCustomPlot *plot);
    // Sets the entries; the height becomes what they need in this width (pixels).
    void setContent(std::vector<LaneKey> keys, std::vector<bool> hidden, std::size_t leftOut, const Theme &,
                    int width);
    struct Hit {
        QString words, key; // key: the text of the entry; empty: of the rest
        std::vector<std::size_t> lines;
    };
    std::optional<Hit> at(const QPoint &) const;
    std::size_t shown() const { return places_.size(); }

protected:
    void draw(QCPPainter *) override;

private:
    int rowHeight() const;
    int widthOf(const LaneKey &) const;

    QFont font_;
    Theme theme_;
    std::vector<LaneKey> keys_;
    std::vector<bool> hidden_;  // by key: its lines are not drawn
    std::vector<QRect> places_; // of the keys that fit, from this element's corner
    QString rest_;              // "+ 12 more"; empty: all fit
    QRect restPlace_;
    QString restTip_;
};

} // namespace iscsiscope::gui
