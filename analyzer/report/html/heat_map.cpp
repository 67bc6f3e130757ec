// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/number_format.h"
#include "analyzer/report/html/html_page.h"
#include "analyzer/report/html/pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace iscsiscope::html {
namespace {

constexpr std::size_t max_columns = 192, levels = 7;
constexpr double map_width = 860, map_left = 78, map_top = 8, row_height = 7, map_bottom = 46;

struct Grid {
    std::vector<std::array<std::uint64_t, latency_classes>> columns;
    std::size_t lowest = latency_classes, highest = 0; // classes with tasks
    std::uint64_t most = 0;                            // in one cell
    double seconds = 0;                                // across
};

Grid merged(const Timeline &t, const LatencySeries &s) {
    Grid g;
    const std::size_t each = (t.used + max_columns - 1) / max_columns;
    for (std::size_t b = 0; b < t.used; b += each) {
        auto &column = g.columns.emplace_back();
        for (std::size_t i = b; i < std::min(b + each, t.used); ++i) {
            for (std::size_t c = 0; c < latency_classes; ++c) {
                column[c] += s[i].classes[c];
                if (s[i].classes[c] != 0) {
                    g.lowest = std::min(g.lowest, c);
                    g.highest = std::max(g.highest, c);
                }
                g.most = std::max(g.most, column[c]);
            }
        }
    }
    g.seconds = static_cast<double>(g.columns.size() * each) * static_cast<double>(to_ns(t.width)) / 1e9;
    return g;
}

// Returns a step of 1, 2, 5, 10 … so that about six fit.
double tick_step(double range) {
    const double raw = range / 6, power = std::pow(10, std::floor(std::log10(raw)));
    return power * (raw / power < 1.5 ? 1 : raw / power < 3.5 ? 2 : raw / power < 7.5 ? 5 : 10);
}

} // namespace

std::string heat_map(const Timeline &t, TaskType type, double begin) {
    const LatencySeries &s = t.latency[static_cast<std::size_t>(type)];
    if (t.used == 0 || s.empty())
        return {};
    Grid g = merged(t, s);
    if (g.most == 0)
        return {};
    g.lowest -= g.lowest > 0 ? 1 : 0;
    g.highest = std::min(g.highest + 1, latency_classes - 1);
    const double rows = static_cast<double>(g.highest - g.lowest + 1);
    const double height = rows * row_height, plot = map_width - map_left - 8;
    const double cell = plot / static_cast<double>(g.columns.size());
    std::array<std::string, levels> paths;
    for (std::size_t x = 0; x < g.columns.size(); ++x) {
        for (std::size_t c = g.lowest; c <= g.highest; ++c) {
            const std::uint64_t n = g.columns[x][c];
            if (n == 0)
                continue;
            // The depth of colour follows the logarithm of the number, so that a single outlier is visible.
            const double depth =
                g.most == 1 ? 1 : std::log(static_cast<double>(n)) / std::log(static_cast<double>(g.most));
            const auto level = static_cast<std::size_t>(std::lround(depth * (levels - 1)));
            paths[level] +=
                fmt::format("M{:.1f} {:.0f}h{:.1f}v{:.0f}h-{:.1f}z", map_left + static_cast<double>(x) * cell,
                            map_top + static_cast<double>(g.highest - c) * row_height, cell + 0.1, row_height,
                            cell + 0.1);
        }
    }
    const std::string what(name(type));
    std::string svg = fmt::format("<svg class=\"heat {}\" viewBox=\"0 0 {} {}\" role=\"img\" "
                                  "aria-label=\"Heat map of the response times of "
                                  "{}s over the time of the capture; the tables hold the same figures\">\n",
                                  what, map_width, map_top + height + map_bottom, what);
    svg += fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{:.0f}\" height=\"{:.0f}\"/>\n",
                       map_left, map_top, plot, height);
    for (std::size_t l = 0; l < levels; ++l)
        if (!paths[l].empty())
            svg += fmt::format("<path class=\"l{}\" d=\"{}\"/>\n", l + 1, paths[l]);
    // Decades, and 2 and 5 in between where they are far apart.
    const auto y_of = [&](double ns) {
        return map_top + height - (4 * std::log2(ns / 1e3) - static_cast<double>(g.lowest)) * row_height;
    };
    const bool finer = rows < 20;
    for (std::int64_t decade = 1000; decade < 1'000'000'000'000; decade *= 10) {
        for (const std::int64_t digit : {1, 2, 5}) {
            const double y = y_of(static_cast<double>(decade * digit));
            if ((digit == 1 || finer) && y >= map_top - 0.5 && y <= map_top + height + 0.5) {
                svg +=
                    fmt::format("<path class=\"grid\" d=\"M{} {:.1f}h{:.0f}\"/><text x=\"{}\" y=\"{:.1f}\" "
                                "text-anchor=\"end\">{}</text>\n",
                                map_left, y, plot, map_left - 6, y + 4, human::duration(decade * digit));
            }
        }
    }
    const double step = tick_step(g.seconds);
    const int digits = std::clamp(-static_cast<int>(std::floor(std::log10(step) + 1e-9)), 0, 9);
    for (double tick = std::ceil(begin / step); tick * step <= begin + g.seconds * 1.0001; ++tick) {
        const double at = tick * step, x = map_left + (at - begin) / g.seconds * plot;
        svg += fmt::format(
            "<path class=\"grid\" d=\"M{0:.1f} {1}v{2:.0f}\"/><text x=\"{0:.1f}\" y=\"{3:.0f}\" "
            "text-anchor=\"{4}\">{5:.{6}f} s</text>\n",
            x, map_top, height, map_top + height + 18, x > map_width - 30 ? "end" : "middle", at, digits);
    }
    svg += fmt::format(
        "<text x=\"{}\" y=\"{:.0f}\" class=\"dim\">{}; a cell is {} wide, a factor of 1.19 high</text>\n",
        map_left, map_top + height + 38,
        g.most == 1 ? std::string("1 task a cell")
                    : fmt::format("1 to {} tasks a cell", human::count(g.most)),
        human::duration(static_cast<std::int64_t>(g.seconds / static_cast<double>(g.columns.size()) * 1e9)));
    return svg + "</svg>\n";
}

} // namespace iscsiscope::html
