// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/timeline/legend_strip.h"

#include "gui/models/time_split.h"
#include "gui/models/timeline/incident_words.h"
#include "gui/models/words.h"
#include "gui/views/timeline/tracks/incident_glyphs.h"

#include <QMouseEvent>
#include <QPainter>

#include <set>

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
    std::set<QString> there;
    const auto bars = timeBars(*document_.snapshot()->report);
    for (const bool hatched : {false, true}) {
        for (const TimeBar &bar : bars) {
            for (const TimeSlice &s : bar.slices) {
                // Waiting for the next command and transfer are what lies between bars: not painted.
                if ((s.hatch != Hatch::none) == hatched && s.key != "transfer" &&
                    s.key != "next_command_wait" && there.insert(s.name).second)
                    entries_.push_back({s.name, s.explanation, s.color, s.hatch, std::nullopt});
            }
        }
    }
    for (std::size_t k = 0; k < incidentKinds; ++k) {
        const auto kind = static_cast<IncidentKind>(k);
        std::size_t count = 0;
        for (const auto &[stream, incidents] : document_.snapshot()->lanes->incidents)
            count += incidents[k].size();
        if (count > 0) {
            entries_.push_back({tr("%1 (%2)").arg(incidentName(kind), countWords(count)),
                                incidentMeaning(kind) + '\n' + tr("Click to hide or show these marks."),
                                incidentColor(kind), Hatch::none, kind});
        }
    }
    updateGeometry();
    update();
}

void LegendStrip::paintEvent(QPaintEvent *) {
    QPainter p(this);
    layOut(&p, width());
}

QRect LegendStrip::placeOf(IncidentKind k) const {
    const auto place = places_.find(k);
    return place == places_.end() ? QRect() : place->second;
}

void LegendStrip::mousePressEvent(QMouseEvent *e) {
    for (const auto &[kind, place] : places_) {
        if (place.contains(e->pos())) {
            shown_[static_cast<std::size_t>(kind)] = !shown_[static_cast<std::size_t>(kind)];
            update();
            emit shownChanged();
            return;
        }
    }
    QWidget::mousePressEvent(e);
}

bool LegendStrip::event(QEvent *e) {
    return showTip(e, this, tips_) || QWidget::event(e);
}

int LegendStrip::layOut(QPainter *p, int width) const {
    const QFontMetrics metrics(font());
    const int line = metrics.height() + 2;
    int x = 0, y = 0;
    tips_.clear();
    places_.clear();
    const auto put = [&](const QString &text, const Entry *e) {
        const int swatch = e != nullptr ? 16 : 0;
        const int needed = swatch + metrics.horizontalAdvance(text) + 14;
        if (x > 0 && x + needed > width) {
            x = 0;
            y += line;
        }
        if (p != nullptr) {
            const bool off = e != nullptr && e->incident && !shown_[static_cast<std::size_t>(*e->incident)];
            if (e != nullptr) {
                const QRect place(x, y, needed, line);
                tips_.emplace_back(place, e->explanation);
                if (e->incident) {
                    places_[*e->incident] = place;
                    p->setOpacity(off ? 0.3 : 1);
                    paintIncident(*p, *e->incident, {x + 6.0, y + line / 2.0}, Theme::of(palette()));
                    p->setOpacity(1);
                } else {
                    paintSwatch(*p, {x, y + (line - 10) / 2, 12, 10}, e->color, e->hatch);
                }
            }
            QFont f = font();
            f.setStrikeOut(off);
            p->setFont(f);
            p->setPen(palette().color(e != nullptr && !off ? QPalette::Text : QPalette::PlaceholderText));
            p->drawText(QRect(x + swatch, y, needed, line), Qt::AlignLeft | Qt::AlignVCenter, text);
        }
        x += needed;
    };
    bool gaps = false, incidents = false;
    if (!entries_.empty() && !entries_.front().incident && entries_.front().hatch == Hatch::none)
        put(tr("Cycles:"), nullptr);
    for (const Entry &e : entries_) {
        if (e.hatch != Hatch::none && !gaps) {
            gaps = true;
            put(tr("Idle, hatched below:"), nullptr);
        }
        if (e.incident && !incidents) {
            incidents = true;
            put(tr("Marked, in the whole capture:"), nullptr);
        }
        put(e.name, &e);
    }
    return y + line;
}

} // namespace iscsiscope::gui
