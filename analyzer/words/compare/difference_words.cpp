// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/words/compare/difference_words.h"

#include "analyzer/base/number_format.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace iscsiscope {

std::string figure_words(const std::optional<double> &v, Unit u) {
    if (!v)
        return "-";
    switch (u) {
    case Unit::time:
        return human::duration(static_cast<std::int64_t>(*v));
    case Unit::rate:
        return human::megabyte_rate(*v);
    case Unit::share:
        return human::share(*v);
    case Unit::bytes:
        return human::bytes(static_cast<std::uint64_t>(*v));
    default:
        return *v >= 1000 || *v == std::floor(*v) ? human::count(static_cast<std::uint64_t>(std::llround(*v)))
                                                  : fmt::format("{:.3g}", *v);
    }
}

std::string change_words(const Difference &d) {
    if (d.unit == Unit::share) // the difference of shares is shown in percentage points
        return d.before && d.after ? fmt::format("{:+.1f} points", (*d.after - *d.before) * 100) : "";
    const auto c = d.change();
    return !c ? "" : std::abs(*c) >= 9.95 ? fmt::format("× {:.0f}", *c + 1) : human::change(*c);
}

bool differs(const Difference &d) {
    if (d.group == "owners" && std::max(d.before.value_or(0), d.after.value_or(0)) == 0)
        return false;
    const bool always = d.name == "busy" || d.name == "unasked" || d.group == "owners";
    if (!d.before || !d.after || always)
        return true;
    if (d.unit == Unit::share)
        return std::abs(*d.after - *d.before) >= min_share;
    return *d.before == 0 ? *d.after != 0 : std::abs(*d.change()) >= min_change;
}

std::string better_or_worse(const Difference &d) {
    if (d.neutral || !d.before || !d.after || *d.before == *d.after)
        return "";
    return (*d.after > *d.before) == d.better_when_higher ? "better" : "worse";
}

} // namespace iscsiscope
