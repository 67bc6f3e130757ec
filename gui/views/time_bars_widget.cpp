// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/time_bars_widget.h"

#include "gui/models/words.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace iscsiscope::gui {
namespace {

constexpr int barHeight = 20, space = 6, swatch = 11;

QString sliceWords(const TimeSlice &s) {
    return QString("%1  %2 (%3)").arg(s.name, shareWords(s.share), durationWords(s.spent));
}

} // namespace

void paintSwatch(QPainter &p, const QRect &r, QColor color, Hatch hatch) {
    p.fillRect(r, color);
    // White on dark colours, dark on light ones.
    p.fillRect(r, QBrush(color.lightness() < 170 ? QColor(255, 255, 255, 130) : QColor(0, 0, 0, 110),
                         brushOf(hatch)));
}

TimeBarsWidget::TimeBarsWidget(Document &document, QWidget *parent) : QWidget(parent), document_(document) {
    setObjectName("timeBars");
    setAccessibleName(tr("Where the time goes"));
    setMouseTracking(true);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connect(&document, &Document::figuresChanged, this, &TimeBarsWidget::refresh);
    refresh();
}

void TimeBarsWidget::refresh() {
    bars_ = timeBars(*document_.figures());
    if (TimeBar owners = ownerBar(*document_.figures()); owners.whole > Duration{})
        bars_.insert(bars_.begin(), std::move(owners));
    QStringList spoken;
    for (const TimeBar &b : bars_) {
        QStringList slices;
        for (const TimeSlice &s : b.slices)
            slices << s.name + " " + shareWords(s.share);
        spoken << b.title + ": " + slices.join(", ");
    }
    setAccessibleDescription(spoken.join(". "));
    updateGeometry();
    update();
}

QSize TimeBarsWidget::sizeHint() const {
    return {700, layOut(nullptr, 700)};
}

int TimeBarsWidget::heightForWidth(int width) const {
    return layOut(nullptr, width);
}

void TimeBarsWidget::paintEvent(QPaintEvent *) {
    QPainter p(this);
    layOut(&p, width());
}

int TimeBarsWidget::layOut(QPainter *p, int width) const {
    const QFontMetrics metrics(font());
    const int line = metrics.height() + 3;
    tips_.clear();
    int y = 0;
    if (bars_.empty()) {
        if (p != nullptr) {
            p->setPen(palette().color(QPalette::PlaceholderText));
            p->drawText(QRect(0, 0, width, line), Qt::AlignLeft | Qt::AlignVCenter,
                        tr("No task in the selected part: no time to divide."));
        }
        return line;
    }
    for (const TimeBar &bar : bars_) {
        if (p != nullptr) {
            p->setPen(palette().color(QPalette::Text));
            p->drawText(QRect(0, y, width, line), Qt::AlignLeft | Qt::AlignVCenter,
                        tr("%1: %2").arg(bar.title, durationWords(bar.whole)));
        }
        y += line;
        double x = 0;
        for (const TimeSlice &s : bar.slices) {
            const double next = x + s.share * width;
            const QRect r(static_cast<int>(std::lround(x)), y,
                          std::max(static_cast<int>(std::lround(next)) - static_cast<int>(std::lround(x)), 1),
                          barHeight);
            if (p != nullptr) {
                paintSwatch(*p, r, s.color, s.hatch);
                tips_.emplace_back(r, sliceWords(s) + "\n" + s.explanation);
            }
            x = next;
        }
        y += barHeight + 4;
        int column = 0;
        for (const TimeSlice &s : bar.slices) {
            const QString text = sliceWords(s);
            const int needed = swatch + 6 + metrics.horizontalAdvance(text) + 18;
            if (column > 0 && column + needed > width) {
                column = 0;
                y += line;
            }
            if (p != nullptr) {
                paintSwatch(*p, {column, y + (line - swatch) / 2, swatch, swatch}, s.color, s.hatch);
                p->setPen(palette().color(QPalette::Text));
                p->drawText(QRect(column + swatch + 6, y, needed, line), Qt::AlignLeft | Qt::AlignVCenter,
                            text);
                tips_.emplace_back(QRect(column, y, needed, line), s.explanation);
            }
            column += needed;
        }
        y += line + space;
    }
    return y;
}

bool TimeBarsWidget::event(QEvent *e) {
    return showTip(e, this, tips_) || QWidget::event(e);
}

bool showTip(QEvent *e, QWidget *widget, const Tips &tips) {
    if (e->type() != QEvent::ToolTip)
        return false;
    const auto *help = static_cast<QHelpEvent *>(e);
    const auto at = std::find_if(tips.begin(), tips.end(),
                                 [&](const auto &tip) { return tip.first.contains(help->pos()); });
    if (at != tips.end())
        QToolTip::showText(help->globalPos(), at->second, widget, at->first);
    else
        QToolTip::hideText();
    return true;
}

} // namespace iscsiscope::gui
