// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/number_format.h"
#include "analyzer/report/compare/compare_output.h"
#include "analyzer/words/compare/difference_words.h"
#include "analyzer/words/compare/throughput_sentence.h"

#include <algorithm>
#include <fmt/format.h>

namespace iscsiscope {
std::string compare_text(const Comparison &c, const TextStyle &style) {
    TextPage page(style);
    page.heading("COMPARISON");
    page.line(throughput_sentence(c.throughput), 2, Tone::strong);
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
            continue;                              // the same figures stand in the group of the one type
        if (d.group == "control" || !differs(d)) { // times of a few control commands matter little
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
                         : group == "owners" ? "BUSY TIME BY OWNER"
                                             : "PATH");
            table = TextTable({"<figure", ">before", ">after", ">change", "<"});
        }
        table.row({d.name, figure_words(d.before, d.unit), figure_words(d.after, d.unit), change_words(d),
                   better_or_worse(d)});
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
