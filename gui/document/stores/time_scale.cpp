// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/document/stores/time_scale.h"

#include <algorithm>
#include <cmath>

namespace iscsiscope::gui {

Interval kept(Interval wanted, Interval whole) {
    const std::int64_t margin = std::max<std::int64_t>(whole.length() / 100, shortestView);
    const Interval most{whole.from - margin, whole.to + margin};
    const std::int64_t length = std::clamp<std::int64_t>(wanted.length(), shortestView, most.length());
    const std::int64_t from = std::clamp(wanted.from, most.from, most.to - length);
    return {from, from + length};
}

Interval zoomed(Interval view, std::int64_t fixed, double factor, Interval whole) {
    const double before = static_cast<double>(view.length());
    const double share = before > 0 ? static_cast<double>(fixed - view.from) / before : 0.5;
    const double most = static_cast<double>(whole.length()) * 1.02 + 2.0 * static_cast<double>(shortestView);
    const double after = std::clamp(before * factor, static_cast<double>(shortestView), most);
    const auto from = fixed - static_cast<std::int64_t>(std::llround(share * after));
    return kept({from, from + static_cast<std::int64_t>(std::llround(after))}, whole);
}

Interval panned(Interval view, std::int64_t by, Interval whole) {
    return kept({view.from + by, view.to + by}, whole);
}

} // namespace iscsiscope::gui
