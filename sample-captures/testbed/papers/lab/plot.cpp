// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/papers/lab/plot.h"

#include "analyzer/report/html/html_page.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace iscsiscope::testbed::papers {
namespace {

constexpr double width = 720, left = 66, right = 18, top = 34, plot_height = 300;
constexpr double bottom = top + plot_height;
constexpr double legend_row = 19;
constexpr unsigned colours = 8;

struct Axis {
    double low = 0, high = 1;
    bool log = false;
    double from = 0, to = 1; // on the page

    double at(double v) const {
        const double l = log ? std::log10(low) : low;
        const double h = log ? std::log10(high) : high;
        const double x = log ? std::log10(std::max(v, low)) : v;
        return from + (x - l) / (h - l) * (to - from);
    }
};

// Linear axes begin at zero: a difference is not to look larger than it is.
Axis make_axis(const Plot &plot, bool vertical) {
    Axis axis;
    axis.log = vertical ? plot.log_y : plot.log_x;
    double low = 0, high = 0;
    bool any = false;
    for (const Curve &curve : plot.curves) {
        for (const auto &[x, y] : curve.points) {
            const double v = vertical ? y : x;
            if (!std::isfinite(v) || (axis.log && v <= 0))
                continue;
            low = any ? std::min(low, v) : v;
            high = any ? std::max(high, v) : v;
            any = true;
        }
    }
    const std::optional<double> &set = vertical ? plot.y_max : plot.x_max;
    high = set.value_or(vertical && !axis.log ? high * 1.06 : high);
    if (axis.log) {
        axis.low = any ? low : 1;
        axis.high = any && high > low ? high : axis.low * 10;
        if (vertical) {
            axis.low = std::pow(10, std::floor(std::log10(axis.low)));
            axis.high = std::pow(10, std::ceil(std::log10(axis.high)));
        }
    } else {
        axis.low = std::min(0.0, low);
        axis.high = high > axis.low ? high : axis.low + 1;
    }
    axis.from = vertical ? bottom : left;
    axis.to = vertical ? top : width - right;
    return axis;
}

std::vector<double> ticks_of(const Axis &axis, unsigned about) {
    if (!axis.log)
        return axis_ticks(axis.low, axis.high, about);
    std::vector<double> ticks;
    const bool dense = std::log10(axis.high / axis.low) < 2.5;
    const auto first = static_cast<int>(std::floor(std::log10(axis.low)));
    const auto last = static_cast<int>(std::floor(std::log10(axis.high * 1.001)));
    for (int power = first; power <= last; ++power) {
        const double decade = std::pow(10, power);
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double v = decade * factor;
            if (v >= axis.low * 0.999 && v <= axis.high * 1.001 && (dense || factor == 1.0))
                ticks.push_back(v);
        }
    }
    return ticks;
}

std::string axes(const Plot &plot, const Axis &x, const Axis &y) {
    std::string out;
    const std::vector<double> ys = ticks_of(y, 6);
    const double y_step = y.log || ys.size() < 2 ? 0 : ys[1] - ys[0];
    for (const double v : ys) {
        out +=
            fmt::format("<path class=\"grid\" d=\"M{0:.1f} {2:.1f}H{1:.1f}\"/>"
                        "<text class=\"tick\" x=\"{3:.1f}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
                        left, width - right, y.at(v), left - 7, y.at(v) + 4, tick_text(v, y_step));
    }
    if (plot.x_names.empty()) {
        const std::vector<double> xs = ticks_of(x, 8);
        const double x_step = x.log || xs.size() < 2 ? 0 : xs[1] - xs[0];
        for (const double v : xs) {
            out += fmt::format("<path class=\"grid\" d=\"M{0:.1f} {1:.1f}V{2:.1f}\"/>"
                               "<text class=\"tick\" x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4}"
                               "</text>\n",
                               x.at(v), top, bottom, bottom + 17, tick_text(v, x_step));
        }
    }
    for (const auto &[v, text] : plot.x_names) {
        out +=
            fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                        x.at(v), bottom + 17, html::escape(text));
    }
    out += fmt::format("<path class=\"axis\" d=\"M{0:.1f} {1:.1f}V{2:.1f}H{3:.1f}\"/>\n", left, top, bottom,
                       width - right);
    out += fmt::format("<text class=\"label\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                       (left + width - right) / 2, bottom + 36, html::escape(plot.x_label));
    out += fmt::format("<text class=\"label\" transform=\"translate(14 {:.1f}) rotate(-90)\" "
                       "text-anchor=\"middle\">{}</text>\n",
                       (top + bottom) / 2, html::escape(plot.y_label));
    return out;
}

std::string mark(const Curve &curve, double x, double y, const std::string &tip) {
    const std::string classes = fmt::format("mark {} c{}", name(curve.source), curve.colour % colours);
    const std::string inside = tip.empty()
                                   ? "/>"
                                   : fmt::format("><title>{}</title></{}>", html::escape(tip),
                                                 curve.source == Source::published ? "path" : "circle");
    if (curve.source == Source::published) {
        return fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}h8v8h-8z\"{}", classes, x - 4, y - 4,
                           inside);
    }
    return fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"{}", classes, x, y,
                       curve.dots_only ? "2.2" : "3.6", inside);
}

bool has_line(const Curve &curve) {
    return !curve.dots_only && (curve.line_only || curve.points.size() > 1);
}
// A model is a line; its points mean nothing by themselves.
bool has_marks(const Curve &curve) {
    return !curve.line_only && (curve.source != Source::model || curve.points.size() == 1);
}

std::string drawn(const Curve &curve, const Axis &x, const Axis &y) {
    std::string line, marks;
    bool begun = false;
    for (const auto &[px, py] : curve.points) {
        if (!std::isfinite(px) || !std::isfinite(py) || (x.log && px <= 0) || (y.log && py <= 0)) {
            begun = false;
            continue;
        }
        const double ax = x.at(px);
        const double ay = std::clamp(y.at(py), top, bottom);
        if (begun && curve.steps)
            line += fmt::format("H{:.1f}V{:.1f}", ax, ay);
        else
            line += fmt::format("{}{:.1f} {:.1f}", begun ? "L" : "M", ax, ay);
        begun = true;
        if (has_marks(curve)) {
            // A scatter of thousands of points needs no words at each.
            marks +=
                mark(curve, ax, ay,
                     curve.dots_only ? std::string{} : fmt::format("{}: {:.4g}, {:.4g}", curve.name, px, py));
        }
    }
    std::string out;
    if (has_line(curve)) {
        out = fmt::format("<path class=\"line {} c{}\" d=\"{}\"/>", name(curve.source),
                          curve.colour % colours, line);
    }
    return out + marks + "\n";
}

std::string legend(const Plot &plot, double from_y, double &height) {
    std::string out;
    double x = left;
    double y = from_y;
    for (const Curve &curve : plot.curves) {
        if (curve.name.empty())
            continue;
        const std::string text = fmt::format("{} ({})", curve.name, name(curve.source));
        // Counted in bytes: a little too wide for what is not ASCII, never too narrow.
        const double wide = 44 + 6.4 * static_cast<double>(text.size());
        if (x > left && x + wide > width) {
            x = left;
            y += legend_row;
        }
        Curve sample = curve;
        if (has_line(sample)) {
            out += fmt::format("<path class=\"line {} c{}\" d=\"M{:.1f} {:.1f}h26\"/>", name(curve.source),
                               curve.colour % colours, x, y - 4);
        }
        if (has_marks(sample))
            out += mark(sample, x + 13, y - 4, "");
        out += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 32, y,
                           html::escape(text));
        x += wide;
    }
    height = y - from_y + legend_row;
    return out;
}

} // namespace

std::string_view name(Source source) {
    switch (source) {
    case Source::published:
        return "published";
    case Source::model:
        return "model";
    case Source::measured:
        return "measured";
    }
    return "";
}

std::vector<double> axis_ticks(double low, double high, unsigned about) {
    if (!(high > low) || about == 0)
        return {low};
    const double rough = (high - low) / about;
    const double decade = std::pow(10, std::floor(std::log10(rough)));
    double step = decade * 10;
    for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
        if (decade * factor >= rough * 0.999) {
            step = decade * factor;
            break;
        }
    }
    std::vector<double> ticks;
    for (double i = std::ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9); ++i)
        ticks.push_back(i == 0 ? 0 : i * step);
    return ticks;
}

std::string tick_text(double value, double step) {
    if (step <= 0)
        return value >= 1000 ? tick_text(value, 1) : fmt::format("{:.4g}", value);
    const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 6);
    // A step of 2.5 needs one digit more than its size says.
    const double whole = step * std::pow(10, digits);
    const bool half = std::fabs(std::round(whole) - whole) > 1e-6;
    std::string text = fmt::format("{:.{}f}", value, half ? digits + 1 : digits);
    const std::size_t end = std::min(text.find('.'), text.size());
    const std::size_t begin = text.front() == '-' ? 1 : 0;
    for (std::size_t i = end; i > begin + 3; i -= 3)
        text.insert(i - 3, ",");
    return text;
}

std::string svg(const Plot &plot) {
    const bool empty =
        std::all_of(plot.curves.begin(), plot.curves.end(), [](const Curve &c) { return c.points.empty(); });
    double legend_height = 0;
    const std::string names = legend(plot, bottom + 60, legend_height);
    const double height = bottom + 60 + legend_height - 8;
    std::string out =
        fmt::format("<svg class=\"plot\" viewBox=\"0 0 {0} {1:.0f}\" role=\"img\" "
                    "aria-label=\"{2}\">\n<text class=\"title\" x=\"{3}\" y=\"18\">{2}</text>\n",
                    width, height, html::escape(plot.title), left);
    if (empty) {
        return out + fmt::format("<text class=\"tick\" x=\"{}\" y=\"{}\">nothing was measured</text></svg>\n",
                                 left, top + 40);
    }
    const Axis x = make_axis(plot, false);
    const Axis y = make_axis(plot, true);
    out += axes(plot, x, y);
    for (const Curve &curve : plot.curves)
        out += drawn(curve, x, y);
    return out + names + "</svg>\n";
}

std::string_view plot_style() {
    return R"css(.plot{width:100%;max-width:760px;height:auto;font:12px system-ui,sans-serif;overflow:visible}
.plot text{fill:var(--text)}.plot .title{font-size:14px;font-weight:600}.plot .tick{font-size:11.5px;fill:var(--soft)}
.plot .grid{stroke:var(--grid);stroke-width:1;fill:none}.plot .axis{stroke:var(--soft);stroke-width:1;fill:none}
.plot .line{fill:none;stroke-width:1.8;stroke:var(--c)}.plot .line.model{stroke-width:1.3;stroke-dasharray:6 4}
.plot .line.published{stroke-width:1.3;stroke-dasharray:1.5 3.5}
.plot .mark{fill:var(--c);stroke:none}.plot .mark.published{fill:var(--page);stroke:var(--c);stroke-width:1.6}
.plot .mark.model{fill:var(--page);stroke:var(--c);stroke-width:1.2}
.plot .c0{--c:var(--c0)}.plot .c1{--c:var(--c1)}.plot .c2{--c:var(--c2)}.plot .c3{--c:var(--c3)}
.plot .c4{--c:var(--c4)}.plot .c5{--c:var(--c5)}.plot .c6{--c:var(--c6)}.plot .c7{--c:var(--c7)}
)css";
}

} // namespace iscsiscope::testbed::papers
