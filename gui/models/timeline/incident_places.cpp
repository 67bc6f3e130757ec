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

std::vector<IncidentMark> incidentMarks(const Incidents &incidents,
                                        const std::array<bool, incidentKinds> &shown, Interval view,
                                        int pixels) {
    struct Cell {
        IncidentMark mark;
        std::int64_t first = 0, last = 0;
    };
    std::map<std::int64_t, Cell> cells;
    const std::int64_t width = std::max<std::int64_t>(view.length() * incidentCell / std::max(pixels, 1), 1);
    const auto before = [](const Incident &i, std::int64_t t) { return i.time < t; };
    for (std::size_t k = 0; k < incidentKinds; ++k) {
        const std::vector<Incident> &list = incidents[k];
        if (!shown[k])
            continue;
        auto at = std::lower_bound(list.begin(), list.end(), view.from, before);
        while (at != list.end() && at->time < view.to) {
            const std::int64_t cell = at->time / width;
            const auto behind =
                std::lower_bound(at, list.end(), std::min((cell + 1) * width, view.to), before);
            const auto last = behind - 1;
            Cell &c = cells[cell];
            const bool empty = c.mark.count() == 0;
            c.first = empty ? at->time : std::min(c.first, at->time);
            c.last = empty ? last->time : std::max(c.last, last->time);
            c.mark.counts[k] = static_cast<std::size_t>(behind - at);
            c.mark.first[k] = *at;
            at = behind;
        }
    }
    const TimeScale scale{view, 0, static_cast<double>(pixels)};
    std::vector<IncidentMark> marks;
    for (auto &[number, c] : cells) {
        c.mark.x = (scale.toPixel(c.first) + scale.toPixel(c.last)) / 2;
        marks.push_back(c.mark);
    }
    return marks;
}

} // namespace iscsiscope::gui
