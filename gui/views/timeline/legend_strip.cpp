// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/timeline/legend_strip.h"

#include "gui/models/time_split.h"
#include "gui/models/words.h"

#include <QPainter>
#include <QSet>

namespace iscsiscope::gui {

LegendStrip::LegendStrip(Document &document, QWidget *parent) : QWidget(parent), document_(document) {
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAccessibleName(tr("Colours of phases and gaps"));
    connect(&document, &Document::snapshotChanged, this, &LegendStrip::refresh);
    refresh();
}

void LegendStrip::refresh() {
    entries_.clear();
    QSet<QString> there;
    const auto bars = timeBars(*document_.snapshot()->report);
    for (const bool hatched : {false, true}) {
        for (const TimeBar &bar : bars) {
            for (const TimeSlice &s : bar.slices) {
                // Waiting for the next command and transfer are what lies between bars: not painted.
                if ((s.hatch != Hatch::none) == hatched && s.name != "transfer" &&
                    s.name != "next_command_wait" && !there.contains(s.name)) {
                    there.insert(s.name);
                    entries_.push_back({s.name, s.explanation, s.color, s.hatch});
                }
            }
        }
    }
    updateGeometry();
    update();
}

void LegendStrip::paintEvent(QPaintEvent *) {
    QPainter p(this);
    layOut(&p, width());
}

bool LegendStrip::event(QEvent *e) {
    return showTip(e, this, tips_) || QWidget::event(e);
}

int LegendStrip::layOut(QPainter *p, int width) const {
    const QFontMetrics metrics(font());
    const int line = metrics.height() + 2;
    int x = 0, y = 0;
    tips_.clear();
    const auto put = [&](const QString &text, const Entry *e) {
        const int swatch = e != nullptr ? 16 : 0;
        const int needed = swatch + metrics.horizontalAdvance(text) + 14;
        if (x > 0 && x + needed > width) {
            x = 0;
            y += line;
        }
        if (p != nullptr) {
            if (e != nullptr) {
                tips_.emplace_back(QRect(x, y, needed, line), e->explanation);
                paintSwatch(*p, {x, y + (line - 10) / 2, 12, 10}, e->color, e->hatch);
            }
            p->setPen(palette().color(e != nullptr ? QPalette::Text : QPalette::PlaceholderText));
            p->drawText(QRect(x + swatch, y, needed, line), Qt::AlignLeft | Qt::AlignVCenter, text);
        }
        x += needed;
    };
    bool gaps = false;
    if (!entries_.empty() && entries_.front().hatch == Hatch::none)
        put(tr("Cycles:"), nullptr);
    for (const Entry &e : entries_) {
        if (e.hatch != Hatch::none && !gaps) {
            gaps = true;
            put(tr("Idle, hatched below:"), nullptr);
        }
        put(e.name, &e);
    }
    return y + line;
}

} // namespace iscsiscope::gui
