// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/config/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

namespace iscsiscope::testbed {
namespace {

// The number at the front and what stands behind it.
std::optional<std::pair<double, std::string_view>> number_and_unit(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || !std::isfinite(value) || value < 0)
        return std::nullopt;
    return std::pair(value, text.substr(static_cast<std::size_t>(end - text.data())));
}

} // namespace

std::optional<std::uint64_t> parse_size(std::string_view text) {
    static constexpr std::array<std::pair<std::string_view, double>, 15> units{{{"", 1},
                                                                                {"B", 1},
                                                                                {"K", 1024.0},
                                                                                {"KiB", 1024.0},
                                                                                {"kB", 1e3},
                                                                                {"KB", 1e3},
                                                                                {"M", 1048576.0},
                                                                                {"MiB", 1048576.0},
                                                                                {"MB", 1e6},
                                                                                {"G", 1073741824.0},
                                                                                {"GiB", 1073741824.0},
                                                                                {"GB", 1e9},
                                                                                {"T", 1099511627776.0},
                                                                                {"TiB", 1099511627776.0},
                                                                                {"TB", 1e12}}};
    const auto parsed = number_and_unit(text);
    if (!parsed)
        return std::nullopt;
    for (const auto &[name, factor] : units)
        if (parsed->second == name) {
            const double bytes = parsed->first * factor;
            return bytes < 9e18 ? std::optional(static_cast<std::uint64_t>(bytes)) : std::nullopt;
        }
    return std::nullopt;
}

std::optional<Nanoseconds> parse_duration(std::string_view text) {
    static constexpr std::array<std::pair<std::string_view, double>, 4> units{
        {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
    const auto parsed = number_and_unit(text);
    if (!parsed)
        return std::nullopt;
    if (parsed->first == 0 && parsed->second.empty())
        return Nanoseconds(0);
    for (const auto &[name, factor] : units)
        if (parsed->second == name) {
            const double ns = std::round(parsed->first * factor);
            return ns < 9e18 ? std::optional(Nanoseconds(static_cast<std::int64_t>(ns))) : std::nullopt;
        }
    return std::nullopt;
}

std::optional<DurationRange> parse_duration_range(std::string_view text) {
    const auto dots = text.find("..");
    if (dots == std::string_view::npos)
        return std::nullopt;
    const auto low = parse_duration(text.substr(0, dots)), high = parse_duration(text.substr(dots + 2));
    if (!low || !high || *high < *low)
        return std::nullopt;
    return DurationRange{*low, *high};
}

std::optional<Distribution> parse_distribution(std::string_view text) {
    if (text == "none")
        return Distribution{};
    const auto colon = text.find(':');
    if (colon == std::string_view::npos)
        return std::nullopt;
    const std::string_view kind = text.substr(0, colon), rest = text.substr(colon + 1);
    if (kind == "uniform") {
        const auto range = parse_duration_range(rest);
        return range ? std::optional(Distribution{Distribution::Kind::uniform, range->low, range->high})
                     : std::nullopt;
    }
    const auto value = parse_duration(rest);
    if (!value)
        return std::nullopt;
    if (kind == "constant")
        return Distribution{Distribution::Kind::constant, *value, {}};
    if (kind == "exponential")
        return Distribution{Distribution::Kind::exponential, *value, {}};
    return std::nullopt;
}

} // namespace iscsiscope::testbed
