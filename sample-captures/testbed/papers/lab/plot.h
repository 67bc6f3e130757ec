// SPDX-License-Identifier: GPL-2.0-or-later
// A small plot writer: curves to one inline SVG element, with labelled axes. Colours come from the page's
// style (`plot_style`), so that one SVG serves light, dark and paper.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iscsiscope::testbed::papers {

using Points = std::vector<std::pair<double, double>>;

// What a curve rests on; each kind is drawn its own way, the same on every page.
enum class Source { published, model, measured };
std::string_view name(Source);

struct Curve {
    std::string name;
    Source source = Source::measured;
    Points points = {};
    unsigned colour = 0;    // the same number for the same thing, whatever its source
    bool dots_only = false; // no line between the points
    bool line_only = false; // no mark at the points
    bool steps = false;     // the value holds until the next point
};

struct Plot {
    std::string title;
    std::string x_label, y_label; // with the unit
    std::vector<Curve> curves = {};
    bool log_x = false, log_y = false;
    std::optional<double> x_max = {}, y_max = {};             // else from the points
    std::vector<std::pair<double, std::string>> x_names = {}; // instead of numbers under the axis
};

// A complete <svg> element; text in it is escaped. A plot without points says so.
std::string svg(const Plot &);
// The CSS rules that the elements of svg() need.
std::string_view plot_style();

// Round values that divide [low, high] into about `about` parts.
std::vector<double> axis_ticks(double low, double high, unsigned about);
// A number for a tick or a table: as many digits as `step` needs, thousands set apart.
std::string tick_text(double value, double step);

} // namespace iscsiscope::testbed::papers
