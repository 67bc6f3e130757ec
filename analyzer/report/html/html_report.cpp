// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/html/html_report.h"

#include "analyzer/base/number_format.h"
#include "analyzer/report/html/assets.h"
#include "analyzer/report/html/charts/charts.h"
#include "analyzer/report/html/charts/finding_marks.h"
#include "analyzer/report/html/document_head.h"
#include "analyzer/report/html/findings_cards.h"
#include "analyzer/report/html/headline_cards.h"
#include "analyzer/report/html/html_page.h"
#include "analyzer/report/html/pictures.h"
#include "analyzer/report/text/text_sections.h"
#include "analyzer/words/capture/range_words.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <vector>

namespace iscsiscope {
namespace {

using namespace html;

std::string begin_of(const Report &r, const std::string &style, std::span<const std::string_view> scripts) {
    const std::string file = r.capture.path == "-" ? "standard input" : r.capture.path;
    const std::string name = file.substr(file.rfind('/') + 1);
    std::string s = document_head(name + ": iSCSI report", style, scripts);
    s += fmt::format("<div class=\"page\">\n<header><h1>{}</h1>", escape(name));
    if (r.capture.info.first_time && r.capture.info.last_time) {
        s += fmt::format("<p>iSCSI report · {}, {} long</p>", human::instant(*r.capture.info.first_time),
                         human::duration(*r.capture.info.last_time - *r.capture.info.first_time));
    }
    if (!r.range.everything())
        s += fmt::format("<p class=\"notice\">Covers {}</p>", escape(range_words(r)));
    if (!r.filter.empty())
        s += fmt::format("<p class=\"notice\">Of the tasks with <code>{}</code></p>", escape(r.filter));
    if (!r.capture.info.complete)
        s += "<p class=\"notice\">The file is cut short or damaged: this is of what could be read.</p>";
    return s + "</header>\n";
}

std::string navigation(const std::vector<HtmlPage::Heading> &headings) {
    std::string s = "<nav aria-label=\"Parts of the report\">";
    for (const auto &h : headings)
        s += fmt::format("<a href=\"#{}\">{}</a>", h.id, escape(h.title));
    return s + "</nav>\n";
}

std::string chart_figure(const Chart &c) {
    std::string attributes;
    if (!c.group.empty()) {
        attributes =
            fmt::format(" data-group=\"{}\" data-choice=\"{}\"", c.group, c.id.substr(0, c.id.find("-rtt")));
    }
    return fmt::format("<div class=\"chart\"{}><h3>{}</h3><p class=\"note\">{}</p><div class=\"plot\" "
                       "id=\"plot-{}\" role=\"img\" aria-label=\"{} over time, {}\"></div><div "
                       "class=\"series\"></div></div>\n",
                       attributes, escape(c.title), escape(c.note), c.id, escape(c.title), escape(c.unit));
}

// The numbers that stand on the charts, with the findings' titles.
std::string marks_legend(const Report &r) {
    std::string out;
    for (const FindingMark &m : finding_marks(r)) {
        const Finding &f = r.findings->findings[m.finding];
        out += fmt::format("<a class=\"mark {}\" href=\"#{}\"><b>{}</b> {}</a> ", name(f.severity),
                           finding_id(m.finding), m.finding + 1, escape(f.title));
    }
    return out.empty() ? out : "<p class=\"legend\">" + out + "</p>\n";
}

void charts_section(HtmlPage &page, const Report &r, const std::vector<Chart> &charts) {
    if (charts.empty() || dygraphs_js.empty())
        return;
    page.heading("OVER TIME",
                 "Time counts in seconds from the capture's first frame, as in `--range`. Nothing is "
                 "drawn where no task was outstanding. Numbers on top of a chart are those of the findings, "
                 "at their evidence.");
    std::string out =
        "<div class=\"controls\"><label>from <input id=\"from\" type=\"number\" step=\"any\"> "
        "s</label><label>to <input id=\"to\" type=\"number\" step=\"any\"> s</label><button id=\"whole\" "
        "type=\"button\">Whole capture</button> <button id=\"range\" type=\"button\" class=\"copy\" "
        "data-copy=\"\">Copy as --range</button> <span class=\"dim\">Drag to zoom all charts, Shift and drag "
        "to "
        "move.</span></div>\n" +
        marks_legend(r) + "<div class=\"charts\">\n";
    std::string choices, senders;
    for (const Chart &c : charts) {
        if (c.group.empty()) {
            out += chart_figure(c);
            continue;
        }
        senders += chart_figure(c);
        if (!c.id.ends_with("-rtt")) {
            choices += fmt::format("<option value=\"{}\">{}</option>", c.id,
                                   escape(c.title.substr(c.title.find(", ") + 2)));
        }
    }
    if (!senders.empty()) {
        out += fmt::format(
            "<p class=\"controls sender\"><label>Sender <select id=\"sender\">{}</select></label></p>\n{}",
            choices, senders);
    }
    page.raw(out + "</div>\n");
}

void heat_maps(HtmlPage &page, const Report &r) {
    const double begin = seconds_in_capture(r, r.timeline.origin);
    const std::string reads = heat_map(r.timeline, TaskType::read, begin),
                      writes = heat_map(r.timeline, TaskType::write, begin);
    if (reads.empty() && writes.empty())
        return;
    page.heading("RESPONSE TIMES",
                 "Each cell counts the tasks that ended then and took so long; deeper means more.");
    std::string out = "<div class=\"charts\">\n";
    if (!reads.empty())
        out += "<div><h3>Reads</h3>\n" + reads + "</div>\n";
    if (!writes.empty())
        out += "<div><h3>Writes</h3>\n" + writes + "</div>\n";
    page.raw(out + "</div>\n");
}

void ladders(HtmlPage &page, const Report &r) {
    if (r.ladders.empty())
        return;
    page.heading("SLOWEST CYCLES PDU BY PDU", "Time runs downwards. Lines slant by the round trips measured "
                                              "between tap (dotted) and hosts; coloured "
                                              "bands are idle gaps at the tap, blue bands data in transit.");
    // The slowest one of the headline's type is open.
    const auto shown =
        std::find_if(r.ladders.begin(), r.ladders.end(),
                     [type = headline_type(r)](const Ladder &l) { return l.cycle.type == type; });
    const Ladder &open = shown != r.ladders.end() ? *shown : r.ladders.front();
    for (const Ladder &l : r.ladders) {
        const CycleRecord &c = l.cycle;
        std::string words = fmt::format("{} of {}, {}: cycle {} on stream {}, frames {}", name(c.type),
                                        c.bytes_expected ? human::block(*c.bytes_expected) : "size unknown",
                                        human::duration(*c.response_time), c.cycle, c.stream,
                                        human::frames(c.command_frame, c.end_frame));
        words[0] = static_cast<char>(words[0] - 'a' + 'A');
        page.raw(
            fmt::format("<details{}><summary>{}</summary>\n", &l == &open ? " open" : "", escape(words)));
        if (l.pdus_left_out != 0) {
            page.line(fmt::format("{} more PDUs of it are not drawn.", human::count(l.pdus_left_out)), 2,
                      Tone::dim);
        }
        page.raw("<div class=\"wide\">" + ladder(l) + "</div></details>\n");
    }
}

} // namespace

std::string html_report(const Report &r, const std::vector<double> &quantiles, const std::string &version) {
    HtmlPage page(quantiles);
    std::vector<Chart> charts;
    const bool iscsi = r.capture.coverage.connections != 0;
    if (iscsi) {
        charts = charts_of(r);
        headline_cards(page, r);
        findings_cards(page, r);
        charts_section(page, r, charts);
    } else if (portal_failed(r)) {
        verdict_section(page, r);
        findings_cards(page, r);
    }
    const std::string top = page.take();
    if (iscsi) {
        time_section(page, r);
        heat_maps(page, r);
        ladders(page, r);
        cycles_section(page, r);
        detail_sections(page, r);
        capture_section(page, r);
    } else {
        capture_section(page, r);
        no_iscsi_section(page, r);
    }
    const auto headings = page.headings();
    const std::string details = page.take(),
                      style = fmt::format("{}{}{}", dygraphs_css, page_css, page.styles());
    std::vector<std::string_view> scripts = {actions_js};
    if (!charts.empty() && !dygraphs_js.empty())
        scripts.insert(scripts.begin(), {dygraphs_js, page_js});
    std::string out = begin_of(r, style, scripts) + navigation(headings) + "<main>\n" + top +
                      "<div class=\"details\">\n" + details + "</div>\n</main>\n";
    out +=
        fmt::format("<footer><p>iscsiscope {}. Frames are numbered as in Wireshark.{}</p></footer>\n</div>\n",
                    version, charts.empty() ? "" : " Charts by dygraphs (MIT licence).");
    if (scripts.size() > 1) {
        out += fmt::format(
            "<!--\n{}-->\n<script type=\"application/json\" id=\"chart-data\">{}</script>\n<script "
            "type=\"application/json\" id=\"finding-marks\">{}</script>\n",
            dygraphs_notice, charts_json(charts), finding_marks_json(r));
    }
    for (const std::string_view script : scripts)
        out += fmt::format("<script>{}</script>\n", script);
    return out + "</body>\n</html>\n";
}

} // namespace iscsiscope
