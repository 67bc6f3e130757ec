// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/timeline/incident_places.h"

#include <algorithm>
#include <map>

namespace iscsiscope::gui {

std::size_t IncidentMark::count() const {
    std::size_t sum = 0;
    for (const std::size_t n : counts)
        sum += n;
    return sum;
}

IncidentKind IncidentMark::kind() const {
    for (const IncidentKind k : {IncidentKind::outage, IncidentKind::failedTask, IncidentKind::reset,
                                 IncidentKind::sentAgain, IncidentKind::login})
        if (counts[static_cast<std::size_t>(k)] > 0)
            return k;
    return IncidentKind::login;
}

std::vector<IncidentMark> incidentMarks(const std::vector<const Incidents *> &all,
                                        const std::array<bool, incidentKinds> &shown, Interval view,
                                        int pixels) {
    struct Cell {
        IncidentMark mark;
        Time first = Time::max(), last;
    };
    std::map<std::int64_t, Cell> cells; // by number: cell n begins at n widths
    const Duration width = std::max(view.length() * incidentCell / std::max(pixels, 1), Duration{1});
    const auto before = [](const Incident &i, Time t) { return i.time < t; };
    const auto take = [&](const std::vector<Incident> &list, std::size_t k) {
        auto at = std::lower_bound(list.begin(), list.end(), view.from, before);
        while (at != list.end() && at->time < view.to) {
            const std::int64_t cell = at->time.time_since_epoch() / width;
            const auto behind =
                std::lower_bound(at, list.end(), std::min(Time{(cell + 1) * width}, view.to), before);
            Cell &c = cells[cell];
            c.first = std::min(c.first, at->time);
            c.last = std::max(c.last, (behind - 1)->time);
            c.mark.counts[k] += static_cast<std::size_t>(behind - at);
            if (!c.mark.first[k] || at->time < c.mark.first[k]->time)
                c.mark.first[k] = *at;
            at = behind;
        }
    };
    for (const Incidents *incidents : all)
        for (std::size_t k = 0; k < incidentKinds; ++k)
            if (shown[k])
                take((*incidents)[k], k);
    const TimeScale scale{view, 0, static_cast<double>(pixels)};
    std::vector<IncidentMark> marks;
    for (auto &[number, c] : cells) {
        c.mark.x = (scale.toPixel(c.first) + scale.toPixel(c.last)) / 2;
        marks.push_back(c.mark);
    }
    return marks;
}

} // namespace iscsiscope::gui
