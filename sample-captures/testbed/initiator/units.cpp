// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/units.h"

#include <array>
#include <charconv>
#include <cmath>

namespace iscsiscope::testbed::initiator {

namespace {

struct Unit {
    std::string_view name;
    double factor;
};

struct Amount {
    double number;
    std::string_view unit;
};

std::optional<Amount> split_amount(std::string_view text) {
    double number = 0;
    const char *const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
    if (error != std::errc{} || !std::isfinite(number) || number < 0)
        return std::nullopt;
    return Amount{number, std::string_view(rest, static_cast<std::size_t>(end - rest))};
}

template <std::size_t n>
std::optional<double> value_of(const Amount &amount, const std::array<Unit, n> &units) {
    for (const Unit &unit : units)
        if (amount.unit == unit.name)
            return amount.number * unit.factor;
    return std::nullopt;
}

constexpr std::array<Unit, 15> sizes{{{"", 1},
                                      {"B", 1},
                                      {"K", 1024},
                                      {"KiB", 1024},
                                      {"M", 1048576},
                                      {"MiB", 1048576},
                                      {"G", 1073741824},
                                      {"GiB", 1073741824},
                                      {"TiB", 1099511627776.0},
                                      {"kB", 1e3},
                                      {"KB", 1e3},
                                      {"MB", 1e6},
                                      {"GB", 1e9},
                                      {"TB", 1e12},
                                      {"k", 1e3}}};
constexpr std::array<Unit, 6> durations{
    {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {"min", 6e10}}};
constexpr std::array<Unit, 4> bit_rates{{{"bit", 0.125}, {"kbit", 125}, {"Mbit", 125e3}, {"Gbit", 125e6}}};

} // namespace

std::optional<std::uint64_t> parse_size(std::string_view text) {
    const auto amount = split_amount(text);
    if (!amount)
        return std::nullopt;
    const auto bytes = value_of(*amount, sizes);
    // A fraction of a byte is a slip of the pen ("127.3" for "127.3KiB").
    if (!bytes || *bytes > 0x1p62 || std::abs(*bytes - std::round(*bytes)) > 1e-6)
        return std::nullopt;
    return static_cast<std::uint64_t>(std::llround(*bytes));
}

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
    const auto amount = split_amount(text);
    if (!amount)
        return std::nullopt;
    const auto nanoseconds = value_of(*amount, durations);
    if (!nanoseconds || *nanoseconds > 3.2e17)
        return std::nullopt;
    return std::chrono::nanoseconds{std::llround(*nanoseconds)};
}

std::optional<std::uint64_t> parse_rate(std::string_view text) {
    const auto amount = split_amount(text);
    if (!amount)
        return std::nullopt;
    if (const auto rate = value_of(*amount, bit_rates); rate && *rate < 0x1p62)
        return static_cast<std::uint64_t>(std::llround(*rate));
    return parse_size(text);
}

} // namespace iscsiscope::testbed::initiator
