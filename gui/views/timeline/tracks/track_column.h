// SPDX-License-Identifier: GPL-2.0-or-later
// TrackColumn paints the column left of the lanes: names of the tracks, and of the lanes below them.
#pragma once

#include "gui/models/timeline/track_list.h"
#include "gui/views/theme.h"

#include <QHash>
#include <qcustomplot.h>

#include <functional>
#include <optional>

namespace iscsiscope::gui {

class TrackColumn : public QCPLayerable {
public:
    struct Heading {  // of what stands below the tracks
        QRect beside; // in the column beside it
        QString text;
    };
    struct Content { // asked for at the moment of painting
        const std::vector<TrackRow> &rows;
        std::function<TrackLayout()> layout;
        std::function<QRect()> lanes; // the axis rect of the tracks
        std::function<Theme()> theme;
        std::function<std::optional<TrackId>()> current; // the track that keys act on
        std::function<std::vector<Heading>()> headings;
    };
    TrackColumn(QCustomPlot *plot, Content content) : QCPLayerable(plot), content_(std::move(content)) {}
    // Returns the width that the names need, within bounds.
    int widthFor(int plotWidth);
    void forgetNames() { widths_.clear(); } // the capture or the font has changed

protected:
    void applyDefaultAntialiasingHint(QCPPainter *p) const override { p->setAntialiasing(false); }
    void draw(QCPPainter *) override;

private:
    void drawRow(QCPPainter &, const TrackRow &, const QRect &, bool current) const;

    Content content_;
    QHash<QString, int> widths_; // of the names, pixels
};

} // namespace iscsiscope::gui
