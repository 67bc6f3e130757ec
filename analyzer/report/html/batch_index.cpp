// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/html/batch_index.h"

#include "analyzer/base/number_format.h"
#include "analyzer/figures/rates.h"
#include "analyzer/figures/totals.h"
#include "analyzer/report/html/assets.h"
#include "analyzer/report/html/document_head.h"
#include "analyzer/report/html/headline_cards.h"
#include "analyzer/report/html/html_page.h"
#include "analyzer/report/text/text_sections.h"
#include "analyzer/words/capture/unread_words.h"
#include "analyzer/words/headline.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

using html::escape;

constexpr std::array<std::string_view, 10> columns = {"capture",  "verdict",     "throughput", "median",
                                                      "p99",      "in flight",   "busy time",  "commands",
                                                      "not good", "begins (UTC)"};
// Of which the numbers, which sort downwards first.
bool numeric(std::size_t column) {
    return column >= 2 && column <= 8 && columns[column] != "busy time";
}

constexpr std::size_t seconds_end = 19; // of "2024-05-01 12:00:00.123456 UTC"

std::optional<double> number(const std::optional<std::int64_t> &v) {
    return v ? std::optional(static_cast<double>(*v)) : std::nullopt;
}

std::string cell(std::size_t column, const BatchEntry::Figure &f) {
    return fmt::format("<td{}{}{} data-label=\"{}\">{}</td>",
                       numeric(column) ? " class=\"n\"" : " class=\"busy\"",
                       f.key && f.text != "-" ? fmt::format(" data-key=\"{:.9g}\"", *f.key) : "",
                       f.detail.empty() ? "" : fmt::format(" title=\"{}\"", escape(f.detail)),
                       columns[column], escape(f.text));
}

std::string count_cell(std::size_t column, std::uint64_t n) {
    return cell(column, {n == 0 ? "-" : human::count(n), "", static_cast<double>(n)});
}

// Returns the name of a file with places where its line may end: behind _ . and -
std::string breakable(std::string_view file) {
    std::string out;
    for (const char c : escape(file)) {
        out += c;
        if (c == '_' || c == '.' || c == '-')
            out += "<wbr>";
    }
    return out;
}

// Returns the date and the time of day of "2024-05-01 12:00:00", each in one piece.
std::string instant_words(std::string_view instant) {
    const auto space = std::min(instant.find(' '), instant.size());
    const std::string_view time = instant.substr(std::min(space + 1, instant.size()));
    return fmt::format("<span class=\"instant\"><span>{}</span> <span>{}</span></span>",
                       escape(instant.substr(0, space)), escape(time));
}

std::string row(const BatchEntry &e) {
    if (!e.problem.empty()) {
        return fmt::format(
            "<tr><td class=\"name\">{}</td><td class=\"verdict-cell bad\" colspan=\"{}\">{}</td></tr>\n",
            breakable(e.file), columns.size() - 1, escape(e.problem));
    }
    const std::string_view tag = e.severity == Severity::info ? "" : name(e.severity);
    std::string out = fmt::format(
        "<tr><td class=\"name\" data-label=\"capture\"><a href=\"{}\">{}</a>{}{}</td><td "
        "class=\"verdict-cell\" "
        "data-label=\"verdict\" data-key=\"{}\">{}{}</td>",
        escape(html::link_to(e.link)), breakable(e.file),
        e.complete ? "" : " <span class=\"notice\">cut short</span>",
        e.condition ? " <span class=\"bad\">condition holds</span>" : "", static_cast<int>(e.severity),
        tag.empty() ? "" : fmt::format("<span class=\"tag {0}\">{0}</span>", tag), escape(e.verdict));
    out +=
        cell(2, e.throughput) + cell(3, e.median) + cell(4, e.p99) + cell(5, e.in_flight) + cell(6, e.busy);
    out += count_cell(7, e.tasks) + count_cell(8, e.not_good);
    return out + fmt::format("<td data-label=\"{}\" title=\"{}\">{}</td></tr>\n", columns.back(),
                             escape(e.first_time), instant_words(e.first_time.substr(0, seconds_end)));
}

} // namespace

void BatchEntry::fill(const Report &r) {
    complete = r.capture.info.complete;
    tasks = r.tasks();
    not_good = task_totals(r).not_good;
    first_time = r.capture.info.first_time ? human::instant(*r.capture.info.first_time) : "";
    if (r.capture.coverage.connections == 0 && !portal_failed(r)) {
        verdict = "no iSCSI in it";
        if (const std::string other = unread_summary(r.capture); !other.empty())
            verdict = "not readable: " + other;
        return;
    }
    const std::vector<HeadlineNumber> numbers = headline(r);
    const Rates all = rates(r);
    const Histogram &times = r.of(html::headline_type(r)).of(CycleFigure::response_time);
    throughput = {numbers[0].value, numbers[0].detail,
                  all.throughput ? all.throughput : r.wire.average_rate()};
    median = {numbers[1].value, numbers[1].detail, number(times.quantile(0.5))};
    p99 = {human::duration(times.quantile(0.99)), numbers[1].detail, number(times.quantile(0.99))};
    in_flight = {numbers[2].value, numbers[2].detail, all.outstanding};
    busy = {numbers[3].value, numbers[3].detail, std::nullopt};
    verdict = "no problem found";
    if (r.findings && !r.findings->findings.empty()) {
        const Finding &f = r.findings->findings.front();
        severity = f.severity;
        verdict = f.title;
        if (f.lost_time > Duration{0})
            verdict += fmt::format(" ({} of the busy time)", human::share(f.share));
    }
}

std::string batch_index(const std::vector<BatchEntry> &all, const std::string &version) {
    const auto failed = static_cast<std::uint64_t>(
        std::count_if(all.begin(), all.end(), [](const BatchEntry &e) { return !e.problem.empty(); }));
    const std::string title = "iSCSI reports of " + human::plural(all.size(), "capture", "captures");
    const std::array<std::string_view, 1> scripts = {html::actions_js};
    std::string out = html::document_head(
        title, fmt::format("{}.page{{max-width:2000px}}@page{{size:landscape}}", html::page_css), scripts);
    out += fmt::format(
        "<div class=\"page flat\">\n<header><h1>{}</h1><p>{} A heading sorts by its column; point "
        "at a figure to see what it covers.</p></header>\n<main><section><div class=\"wide\"><table "
        "class=\"index many sortable\"><thead><tr>",
        title,
        failed == 0 ? std::string("All of them were read.")
                    : fmt::format("{} could not be read.", human::plural(failed, "capture", "captures")));
    for (std::size_t i = 0; i < columns.size(); ++i) {
        out += fmt::format("<th scope=\"col\"{} aria-sort=\"none\"><button type=\"button\">{}</button></th>",
                           numeric(i) ? " class=\"n\"" : "", columns[i]);
    }
    out += "</tr></thead><tbody>\n";
    for (const BatchEntry &e : all)
        out += row(e);
    return out + fmt::format("</tbody></table></div></section></main>\n<footer><p>iscsiscope "
                             "{}</p></footer>\n</div>\n<script>{}</script>\n</body>\n</html>\n",
                             version, html::actions_js);
}

} // namespace iscsiscope
