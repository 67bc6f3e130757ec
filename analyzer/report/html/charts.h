// SPDX-License-Identifier: GPL-2.0-or-later
// Charts: the zoomable plots of the HTML page.
#pragma once

#include "analyzer/figures/report.h"

#include <string>
#include <vector>

namespace iscsiscope::html {

// One plot over the time of the capture. Its series share the x values.
struct Chart {
    struct Series {
        std::string label;
        std::uint32_t color = 0;
        std::vector<double> y; // NaN: not known
        bool dashed = false, hidden = false, filled = false;
        bool steps = false; // each value holds until the next one
    };
    std::string id, title, unit, note;
    std::string group; // of the charts of a group the reader selects one; empty: always shown
    bool logarithmic = false;
    std::vector<double> x; // seconds from the capture's first event
    std::vector<Series> series;
};

// Returns the charts for which the report has data, in the order of the page.
std::vector<Chart> charts_of(const Report &);
// Returns the charts as JSON for the page's script: {"id":…}. A value that is not known is null.
std::string charts_json(const std::vector<Chart> &);

} // namespace iscsiscope::html
