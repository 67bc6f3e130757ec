// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/document/stores/time_scale.h"

#include <algorithm>
#include <cmath>

namespace iscsiscope::gui {

Interval kept(Interval wanted, Interval whole) {
    const Duration margin = std::max(whole.length() / 100, shortestView);
    const Interval most{whole.from - margin, whole.to + margin};
    const Duration length = std::clamp(wanted.length(), shortestView, most.length());
    const Time from = std::clamp(wanted.from, most.from, most.to - length);
    return {from, from + length};
}

Interval zoomed(Interval view, Time fixed, double factor, Interval whole) {
    const double before = inNs(view.length());
    const double share = before > 0 ? inNs(fixed - view.from) / before : 0.5;
    const double most = inNs(whole.length()) * 1.02 + 2.0 * inNs(shortestView);
    const double after = std::clamp(before * factor, inNs(shortestView), most);
    const Time from = fixed - Duration{std::llround(share * after)};
    return kept({from, from + Duration{std::llround(after)}}, whole);
}

Interval panned(Interval view, Duration by, Interval whole) {
    return kept({view.from + by, view.to + by}, whole);
}

} // namespace iscsiscope::gui
