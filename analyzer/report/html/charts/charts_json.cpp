// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/html/charts/charts.h"
#include "analyzer/report/html/charts/script_json.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace iscsiscope::html {
namespace {

// Four digits are finer than a screen can show.
void append_number(std::string &out, double v) {
    if (std::isfinite(v))
        fmt::format_to(std::back_inserter(out), "{:.4g}", v);
    else
        out += std::isnan(v) ? "null" : "false";
}

// Returns the x values whose row has a value, or ends a line: other rows change nothing in the picture.
std::vector<std::size_t> rows_needed(const Chart &c) {
    std::vector<std::size_t> rows;
    std::vector<bool> open(c.series.size());
    for (std::size_t i = 0; i < c.x.size(); ++i) {
        bool needed = false;
        for (std::size_t s = 0; s < c.series.size(); ++s) {
            const double v = c.series[s].y[i];
            needed = needed || std::isfinite(v) || (open[s] && v == not_asked);
            open[s] = std::isfinite(v) || (open[s] && v != not_asked);
        }
        if (needed)
            rows.push_back(i);
    }
    return rows;
}

void append_chart(std::string &out, const Chart &c) {
    const std::vector<std::size_t> rows = rows_needed(c);
    out += fmt::format("{{\"id\":{},\"unit\":{},\"log\":{},\"x\":[", json_text(c.id), json_text(c.unit),
                       c.logarithmic);
    for (const std::size_t &i : rows)
        fmt::format_to(std::back_inserter(out), "{}{:.9g}", &i == rows.data() ? "" : ",", c.x[i]);
    out += "],\"series\":[";
    for (const Chart::Series &s : c.series) {
        out += fmt::format("{}{{\"label\":{},\"color\":\"#{:06x}\",\"dashed\":{},\"hidden\":{},\"filled\":{},"
                           "\"steps\":{},\"y\":[",
                           &s == c.series.data() ? "" : ",", json_text(s.label), s.color, s.dashed, s.hidden,
                           s.filled, s.steps);
        for (const std::size_t &i : rows) {
            out += &i == rows.data() ? "" : ",";
            append_number(out, s.y[i]);
        }
        out += "]}";
    }
    out += "]}";
}

} // namespace

std::string charts_json(const std::vector<Chart> &charts) {
    std::string out = "[";
    for (const Chart &c : charts) {
        out += out.size() > 1 ? ",\n" : "";
        append_chart(out, c);
    }
    return out + "]";
}

} // namespace iscsiscope::html
