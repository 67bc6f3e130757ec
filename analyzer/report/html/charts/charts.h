// SPDX-License-Identifier: GPL-2.0-or-later
// Charts: the zoomable plots of the HTML page.
#pragma once

#include "analyzer/figures/report.h"

#include <limits>
#include <string>
#include <vector>

namespace iscsiscope::html {

// Values of a series that are no number. A line goes on across no_sample, to the next value; it ends at
// not_asked, since nothing was asked then, or the connection did not exist, and there is nothing to draw.
inline constexpr double no_sample = std::numeric_limits<double>::quiet_NaN();
inline constexpr double not_asked = -std::numeric_limits<double>::infinity();

// One plot over the time of the capture. Its series share the x values.
struct Chart {
    struct Series {
        std::string label;
        std::uint32_t color = 0;
        std::vector<double> y; // a value, no_sample or not_asked
        bool dashed = false, hidden = false, filled = false;
        bool steps = false; // each value holds until the next one
    };
    std::string id, title, unit, note;
    std::string group; // of the charts of a group the reader selects one; empty: always shown
    bool logarithmic = false;
    std::vector<double> x; // seconds from the capture's first frame, as --range counts them
    std::vector<Series> series;
};

// Returns the charts for which the report has data, in the order of the page.
std::vector<Chart> charts_of(const Report &);
// Returns the charts as JSON for the page's script: {"id":…}. In it no_sample is null, and not_asked is
// false.
std::string charts_json(const std::vector<Chart> &);

// Seconds from the capture's first frame to that time; to the middle of a bucket of the timeline.
double seconds_in_capture(const Report &, Time);
double bucket_seconds(const Report &, std::size_t bucket);
// Seconds with as many digits as the width of the timeline's buckets needs.
std::string seconds_text(const Report &, double seconds);
// "each 16.4 ms": the length of the intervals of which the charts show figures.
std::string interval_words(const Report &);

// Parts of charts_of(). Each appends its charts.
void add_group_charts(const Report &, std::vector<Chart> &);   // response times by LUN and by session
void add_session_charts(const Report &, std::vector<Chart> &); // deviations, command windows
void add_sender_charts(const Report &, std::vector<Chart> &);  // flight, windows, round trips
std::string connection_words(const Report &, StreamId stream); // "3: 10.0.0.1:40000 → 10.0.0.2:3260"

} // namespace iscsiscope::html
