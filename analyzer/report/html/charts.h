// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "analyzer/figures/report.h"

#include <string>
#include <vector>

namespace iscsiscope::html {

// One zoomable plot over the time of the capture: its series share the x values.
struct Chart {
    struct Series {
        std::string label;
        std::uint32_t color = 0;
        std::vector<double> y; // NaN: not known
        bool dashed = false, hidden = false, filled = false;
        bool steps = false; // each value holds until the next one
    };
    std::string id, title, unit, note;
    std::string group; // charts of one group are shown one at a time, by choice; empty: always
    bool logarithmic = false;
    std::vector<double> x; // seconds from the capture's first event
    std::vector<Series> series;
};

// Those that the report has anything for, in the order of the page.
std::vector<Chart> charts_of(const Report &);
// As the page's script takes them: {"id":…}. Not known: null.
std::string charts_json(const std::vector<Chart> &);

} // namespace iscsiscope::html
