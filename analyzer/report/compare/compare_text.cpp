// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/number_format.h"
#include "analyzer/report/compare/compare_output.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

// A smaller relative difference is not shown.
constexpr double least_change = 0.02, least_share = 0.005;

std::string shown(const std::optional<double> &v, Unit u) {
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

bool worth_a_line(const Difference &d) {
    if (d.group == "owners" && std::max(d.before.value_or(0), d.after.value_or(0)) == 0)
        return false;
    const bool always = d.name == "busy" || d.name == "unasked" || d.group == "owners";
    if (!d.before || !d.after || always)
        return true;
    if (d.unit == Unit::share)
        return std::abs(*d.after - *d.before) >= least_share;
    return *d.before == 0 ? *d.after != 0 : std::abs(*d.change()) >= least_change;
}

std::string verdict(const Difference &d) {
    if (d.neutral || !d.before || !d.after || *d.before == *d.after)
        return "";
    return (*d.after > *d.before) == d.better_when_higher ? "better" : "worse";
}

} // namespace

std::string compare_text(const Comparison &c, const TextStyle &style) {
    TextPage page(style);
    page.heading("COMPARISON");
    page.line(c.sentence, 2, Tone::strong);
    page.item("Before", human::name(c.before));
    page.item("After", human::name(c.after));
    if (!c.settings.empty()) {
        page.heading("SETTINGS THAT DIFFER");
        TextTable t({"<setting", "<before", "<after"});
        for (const SettingChange &s : c.settings)
            t.row({s.name, s.before.empty() ? "-" : s.before, s.after.empty() ? "-" : s.after});
        page.table(t);
    }
    page.heading("FINDINGS", "share of the connections' busy time");
    TextTable found({"<finding", ">before", ">after", "<"});
    for (const FindingChange &f : c.findings) {
        found.row({f.title, f.before ? human::share(*f.before) : "-", f.after ? human::share(*f.after) : "-",
                   !f.before  ? "appeared"
                   : !f.after ? "gone"
                              : ""});
    }
    if (found.empty())
        page.line("None in either.");
    else
        page.table(found);
    std::string group;
    TextTable table({"<"});
    std::uint64_t same = 0;
    const auto flush = [&] {
        if (!table.empty())
            page.table(table);
    };
    const auto has = [&](std::string_view name) {
        return std::any_of(c.differences.begin(), c.differences.end(),
                           [&](const Difference &d) { return d.group == name; });
    };
    const bool mixed = has("read") && has("write");
    for (const Difference &d : c.differences) {
        if (d.group == "both" && !mixed)
            continue;                                   // the same figures stand in the group of the one type
        if (d.group == "control" || !worth_a_line(d)) { // times of a few control commands matter little
            ++same;
            continue;
        }
        if (d.group != group) {
            flush();
            group = d.group;
            page.heading(group == "both"     ? "READS AND WRITES"
                         : group == "read"   ? "READS"
                         : group == "write"  ? "WRITES"
                         : group == "time"   ? "WHERE THE CONNECTIONS' TIME GOES"
                         : group == "owners" ? "WHOSE THE BUSY TIME IS"
                                             : "PATH");
            table = TextTable({"<figure", ">before", ">after", ">change", "<"});
        }
        table.row({d.name, shown(d.before, d.unit), shown(d.after, d.unit), change_words(d), verdict(d)});
    }
    flush();
    page.blank();
    page.line(
        fmt::format("{} of control commands or differing by less than 2 % (shares: half a point) left out; "
                    "--format json has all.",
                    human::plural(same, "figure", "figures")),
        2, Tone::dim);
    return page.finish();
}

} // namespace iscsiscope
