// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/papers/page/page.h"

#include "analyzer/report/html/html_page.h"

#include <algorithm>
#include <fmt/format.h>

namespace iscsiscope::testbed::papers {
namespace {

constexpr const char *page_style =
    R"css(:root{color-scheme:light dark;--page:#fff;--text:#1c1c1e;--soft:#63636a;--grid:#e6e6ea;--box:#f6f6f8;
--good:#1a7f4b;--part:#9a6700;--bad:#b3261e;
--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#b3528e;--c4:#b98200;--c5:#3a9bd6;--c6:#7d5fb2;--c7:#6e6e6e}
@media (prefers-color-scheme:dark){:root{--page:#16171a;--text:#ececf0;--soft:#a2a2ac;--grid:#2e3036;--box:#1f2126;
--good:#58c78b;--part:#e0b04a;--bad:#f08b84;
--c0:#4aa8e0;--c1:#ff8c42;--c2:#3fcf9f;--c3:#e08cc4;--c4:#f0b93a;--c5:#8fd0f5;--c6:#b49ae6;--c7:#a8a8a8}}
@media print{:root{--page:#fff;--text:#000;--soft:#444;--grid:#ddd;--box:#fff}figure,table,tr{break-inside:avoid}nav{display:none}}
body{margin:0 auto;max-width:1000px;padding:24px 18px 60px;background:var(--page);color:var(--text);
font:15px/1.5 system-ui,sans-serif}h1{font-size:25px;margin:.2em 0}h2{font-size:19px;margin:1.7em 0 .4em}
p{max-width:75ch}.soft{color:var(--soft)}a{color:var(--c0)}figure{margin:1.2em 0}.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:13.5px;margin:.5em 0}caption{text-align:left;font-weight:600;padding:.3em 0}
th,td{padding:4px 10px;border-bottom:1px solid var(--grid);text-align:left;vertical-align:top}
th{color:var(--soft);font-weight:600}td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.v{font-weight:600;white-space:nowrap}.reproduced{color:var(--good)}.in_shape{color:var(--part)}
.not_reproduced,.invalid{color:var(--bad)}.not_run{color:var(--soft)}details{margin:.6em 0}summary{cursor:pointer}
)css";

const char *class_of(Verdict verdict) {
    switch (verdict) {
    case Verdict::reproduced:
        return "reproduced";
    case Verdict::in_shape:
        return "in_shape";
    case Verdict::not_reproduced:
        return "not_reproduced";
    case Verdict::not_run:
        return "not_run";
    }
    return "";
}

// A figure stands to the right, words to the left.
bool is_figure(const std::string &cell) {
    return !cell.empty() && (cell.front() == '-' || (cell.front() >= '0' && cell.front() <= '9')) &&
           cell.size() < 16;
}

std::string table_html(const Table &table) {
    std::string out = "<div class=\"scroll\"><table>";
    if (!table.title.empty())
        out += "<caption>" + html::escape(table.title) + "</caption>";
    out += "<thead><tr>";
    for (const std::string &cell : table.head)
        out += "<th>" + html::escape(cell) + "</th>";
    out += "</tr></thead><tbody>\n";
    for (const auto &row : table.rows) {
        out += "<tr>";
        for (const std::string &cell : row)
            out += (is_figure(cell) ? "<td class=\"n\">" : "<td>") + html::escape(cell) + "</td>";
        out += "</tr>\n";
    }
    return out + "</tbody></table></div>\n";
}

std::string block_html(const Block &block) {
    if (const auto *heading = std::get_if<Heading>(&block))
        return "<h2>" + html::escape(heading->text) + "</h2>\n";
    if (const auto *paragraph = std::get_if<Paragraph>(&block))
        return "<p>" + html::escape(paragraph->text) + "</p>\n";
    if (const auto *table = std::get_if<Table>(&block))
        return table_html(*table);
    return "<figure>" + svg(std::get<Plot>(block)) + "</figure>\n";
}

std::string verdict_html(Verdict verdict) {
    return fmt::format("<span class=\"v {}\">{}</span>", class_of(verdict), text_of(verdict));
}

std::string claims_html(const std::vector<Claim> &claims) {
    std::string out = "<div class=\"scroll\"><table><thead><tr><th>Published claim</th><th>Published</th>"
                      "<th>Model</th><th>Measured</th><th>Verdict</th><th>Why</th></tr></thead><tbody>\n";
    for (const Claim &claim : claims) {
        out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                           html::escape(claim.statement), html::escape(claim.published),
                           html::escape(claim.model), html::escape(claim.measured),
                           verdict_html(claim.verdict), html::escape(claim.why));
    }
    return out + "</tbody></table></div>\n";
}

std::string joined(const std::vector<std::string> &texts) {
    std::string out;
    for (const std::string &text : texts)
        out += (out.empty() ? "" : "; ") + text;
    return out;
}

std::string runs_html(const std::vector<Run> &runs) {
    const auto valid = std::count_if(runs.begin(), runs.end(), [](const Run &r) { return r.log.valid; });
    std::string out =
        fmt::format("<details><summary>{} runs, {} valid</summary><div class=\"scroll\"><table>"
                    "<thead><tr><th>Run</th><th>Valid</th><th>Attempts</th><th>Packets late by, "
                    "median / 99 %</th><th>Longest stall</th><th>Dropped</th><th>Scenario and "
                    "settings</th></tr></thead><tbody>\n",
                    runs.size(), valid);
    for (const Run &run : runs) {
        out += fmt::format(
            "<tr><td>{}</td><td{}</td><td class=\"n\">{}</td><td class=\"n\">{:.0f} / {:.0f} µs</td>"
            "<td class=\"n\">{:.1f} ms</td><td class=\"n\">{}</td><td>{}{}</td></tr>\n",
            html::escape(run.label),
            run.log.valid ? std::string(">yes")
                          : " class=\"invalid\">no: " + html::escape(joined(run.log.reasons)),
            run.attempts, static_cast<double>(run.log.lateness_p50_ns) / 1e3,
            static_cast<double>(run.log.lateness_p99_ns) / 1e3,
            static_cast<double>(run.log.longest_stall_ns) / 1e6, run.log.drops.size(),
            html::escape(run.scenario), run.settings.empty() ? "" : html::escape(": " + run.settings));
    }
    return out + "</tbody></table></div></details>\n";
}

std::string frame(const std::string &title, const std::string &body) {
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                       "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
                       "<title>{}</title>\n<style>\n{}{}</style></head>\n<body>\n{}</body></html>\n",
                       html::escape(title), page_style, plot_style(), body);
}

std::string circumstances_html(const Circumstances &c) {
    return fmt::format("<p class=\"soft\">iscsiscope {} · {} · {} · kernel {}{}</p>\n",
                       html::escape(c.version), html::escape(c.date), html::escape(c.machine),
                       html::escape(c.kernel),
                       c.quick ? " · quick: fewer points and shorter runs than the full set" : "");
}

} // namespace

std::string_view text_of(Verdict verdict) {
    switch (verdict) {
    case Verdict::reproduced:
        return "reproduced";
    case Verdict::in_shape:
        return "reproduced in shape";
    case Verdict::not_reproduced:
        return "not reproduced";
    case Verdict::not_run:
        return "not run";
    }
    return "";
}

std::string html_page(const StudyOutcome &outcome, const Circumstances &circumstances) {
    const Published &paper = outcome.published;
    std::string body = "<nav><a href=\"index.html\">All studies</a></nav>\n<h1>" +
                       html::escape(paper.title()) + "</h1>\n<p>" + html::escape(paper.source()) + "</p>\n" +
                       circumstances_html(circumstances);
    body += "<p><b>Set-up.</b> " + html::escape(paper.set_up()) + "</p>\n";
    body += "<p><b>Scale.</b> " + html::escape(outcome.page.scale) + "</p>\n";
    body += "<p class=\"soft\">Measured: by the analyzer from the captures of real kernel TCP and iSCSI over "
            "impaired links. Model: the formulas of the papers with measured inputs, nothing fitted. "
            "Published: what the paper prints.</p>\n";
    body += "<h2>Claims</h2>\n" + claims_html(outcome.page.claims);
    for (const Block &block : outcome.page.blocks)
        body += block_html(block);
    body += fmt::format("<h2>Runs</h2>\n<p>The study took {:.0f} s. A run counts if the links held what they "
                        "were set to, by their own log.</p>\n{}",
                        outcome.took_s, runs_html(outcome.runs));
    return frame(paper.title(), body);
}

} // namespace iscsiscope::testbed::papers
