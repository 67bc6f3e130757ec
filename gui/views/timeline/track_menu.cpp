// SPDX-License-Identifier: GPL-2.0-or-later
// The menu of the tracks: what can be done with one, and with all of them.
#include "gui/views/timeline/timeline_plot.h"

#include <QAction>
#include <QActionGroup>
#include <QMenu>

namespace iscsiscope::gui {

void TimelinePlot::fillTrackMenu(QMenu &menu, std::optional<TrackId> id) {
    menu.setToolTipsVisible(true);
    const auto add = [&](QMenu &to, const QString &text, std::function<void(TrackList &)> change) {
        return to.addAction(text, this, [this, change = std::move(change)] { changeTracks(change); });
    };
    const auto row = id ? tracks_.rowOf(*id) : std::nullopt;
    if (row) {
        const TrackRow track = rows()[*row];
        const TrackId which = track.id;
        menu.addSection(track.label);
        if (track.isHeader()) {
            add(
                menu, track.folded ? tr("Unfold\tSpace") : tr("Fold\tSpace"),
                [which, folded = track.folded](TrackList &t) { t.setFolded(which, !folded); });
        }
        add(
            menu, track.pinned ? tr("Unpin") : tr("Pin to the top"),
            [which, pinned = track.pinned](TrackList &t) { t.setPinned(which, !pinned); });
        add(
            menu, tr("Hide\tDel"), [which](TrackList &t) { t.setHidden(which, true); });
        add(menu, tr("Hide all others"), [streams = track.streams](TrackList &t) { t.showOnly(streams); });
        const int now = track.height > 0 ? track.height : 40;
        add(
            menu, tr("Higher\tCtrl+Shift+Down"),
            [which, now](TrackList &t) { t.setHeight(which, now + 24); });
        add(menu, tr("Lower\tCtrl+Shift+Up"), [which, now](TrackList &t) { t.setHeight(which, now - 24); });
        if (track.height > 0)
            add(menu, tr("Automatic height"), [which](TrackList &t) { t.resetHeight(which); });
        menu.addSeparator();
    }
    QMenu *order = menu.addMenu(tr("Order"));
    auto *group = new QActionGroup(order);
    for (std::size_t i = 0; i < trackOrderCount; ++i) {
        const auto o = static_cast<TrackOrder>(i);
        QAction *a = add(*order, trackOrderName(o), [o](TrackList &t) { t.setOrder(o); });
        a->setCheckable(true);
        a->setChecked(tracks_.order() == o);
        group->addAction(a);
    }
    add(
        menu, tr("Fold all"), [](TrackList &t) { t.foldAll(true); });
    add(
        menu, tr("Unfold all"), [](TrackList &t) { t.foldAll(false); });
    add(
        menu, tr("Show the hidden ones (%1)").arg(tracks_.hiddenCount()), [](TrackList &t) { t.showAll(); })
        ->setEnabled(tracks_.hiddenCount() > 0);
    add(menu, tr("Automatic heights"), [](TrackList &t) { t.resetHeights(); });
}

} // namespace iscsiscope::gui
