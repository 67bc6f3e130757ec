// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/timeline/lane_legend.h"

#include "gui/views/timeline/timeline_layers.h"

#include <QCoreApplication>

namespace iscsiscope::gui {
namespace {

constexpr int maxRows = 2, sampleWidth = 18, legendSpace = 12;

QString laneLegendText(const char *text) {
    return QCoreApplication::translate("LaneLegend", text);
}

} // namespace

LaneLegend::LaneLegend(QCustomPlot *plot) : QCPLayoutElement(plot), font_(plot->font()) {
    font_.setPointSizeF(font_.pointSizeF() * 0.85);
    setContent({}, {}, 0, {}, 100);
    setMinimumMargins({});
}

int LaneLegend::rowHeight() const {
    return QFontMetrics(font_).height();
}

int LaneLegend::widthOf(const LaneKey &k) const {
    return sampleWidth + 4 + QFontMetrics(font_).horizontalAdvance(k.text) + legendSpace;
}

void LaneLegend::setContent(std::vector<LaneKey> keys, std::vector<bool> hidden, std::size_t leftOut,
                            const Theme &theme, int width) {
    keys_ = std::move(keys);
    hidden_ = std::move(hidden);
    theme_ = theme;
    places_.clear();
    rest_.clear();
    const QFontMetrics metrics(font_);
    const int high = rowHeight();
    // Room for the count of the entries that do not fit.
    const int tail = metrics.horizontalAdvance(laneLegendText("+ %1 more").arg(1000)) + legendSpace;
    int x = 0, row = 0;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
        const int needed = widthOf(keys_[i]);
        const bool last = i + 1 == keys_.size() && leftOut == 0;
        const int limit = row + 1 == maxRows && !last ? width - tail : width;
        if (x > 0 && x + needed > limit) {
            if (row + 1 == maxRows)
                break;
            x = 0;
            ++row;
        }
        places_.emplace_back(x, row * high, needed - legendSpace, high);
        x += needed;
    }
    const std::size_t more = keys_.size() - places_.size();
    restTip_.clear();
    if (more > 0 || leftOut > 0) {
        rest_ = laneLegendText("+ %1 more").arg(more + leftOut);
        restPlace_ = QRect(x, row * high, metrics.horizontalAdvance(rest_), high);
        QStringList names;
        for (std::size_t i = places_.size(); i < keys_.size(); ++i)
            names << keys_[i].explanation;
        if (leftOut > 0) {
            names << laneLegendText("%1 lines are not drawn: those with the least data. More than %2 cannot "
                                    "be distinguished; "
                                    "a filter or the table shows the others.")
                         .arg(leftOut)
                         .arg(maxLines);
        }
        restTip_ = names.join('\n');
    }
    const int height = keys_.empty() ? 4 : (row + 1) * high + 2;
    if (minimumSize().height() != height) {
        setMinimumSize(10, height);
        setMaximumSize(QWIDGETSIZE_MAX, height);
    }
}

std::optional<LaneLegend::Hit> LaneLegend::at(const QPoint &p) const {
    const QPoint inside = p - rect().topLeft();
    for (std::size_t i = 0; i < places_.size(); ++i)
        if (places_[i].contains(inside))
            return Hit{keys_[i].explanation.isEmpty() ? keys_[i].text : keys_[i].explanation, keys_[i].text,
                       keys_[i].lines};
    if (!rest_.isEmpty() && restPlace_.contains(inside))
        return Hit{restTip_, {}, {}};
    return std::nullopt;
}

void LaneLegend::draw(QCPPainter *p) {
    p->save();
    p->setFont(font_);
    p->setRenderHint(QPainter::Antialiasing, false);
    const QPoint corner = rect().topLeft();
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const LaneKey &k = keys_[i];
        const QRect r = places_[i].translated(corner);
        const bool hidden = i < hidden_.size() && hidden_[i];
        const QColor color = hidden ? theme_.grid : k.color ? theme_.legible(*k.color) : theme_.text;
        const int y = r.center().y() + 1;
        if (k.style == LineStyle::points) {
            for (int x = r.left() + 2; x < r.left() + sampleWidth; x += 6)
                p->fillRect(x, y - 1, 3, 3, color);
        } else {
            p->setPen(QPen(color, k.color ? 2 : 1, penStyleOf(k.style)));
            p->drawLine(QLineF(r.left(), y, r.left() + sampleWidth, y));
        }
        p->setPen(hidden ? theme_.dim : theme_.text);
        QFont font = font_;
        font.setStrikeOut(hidden);
        p->setFont(font);
        p->drawText(r.adjusted(sampleWidth + 4, 0, legendSpace, 0), Qt::AlignLeft | Qt::AlignVCenter, k.text);
    }
    if (!rest_.isEmpty()) {
        p->setFont(font_);
        p->setPen(theme_.dim);
        p->drawText(restPlace_.translated(corner).adjusted(0, 0, legendSpace, 0),
                    Qt::AlignLeft | Qt::AlignVCenter, rest_);
    }
    p->restore();
}

} // namespace iscsiscope::gui
