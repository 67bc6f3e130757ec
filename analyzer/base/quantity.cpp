// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/quantity.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace iscsiscope {
namespace {

struct UnitName {
    std::string_view name;
    Unit unit;
    double factor;
};

constexpr UnitName unit_names[] = {
    {"ns", Unit::time, 1},         {"us", Unit::time, 1e3},        {"µs", Unit::time, 1e3},
    {"ms", Unit::time, 1e6},       {"s", Unit::time, 1e9},         {"min", Unit::time, 60e9},
    {"h", Unit::time, 3600e9},     {"B", Unit::bytes, 1},          {"kB", Unit::bytes, 1e3},
    {"KB", Unit::bytes, 1e3},      {"MB", Unit::bytes, 1e6},       {"GB", Unit::bytes, 1e9},
    {"TB", Unit::bytes, 1e12},     {"KiB", Unit::bytes, 1024},     {"MiB", Unit::bytes, 1048576},
    {"GiB", Unit::bytes, 0x1p30},  {"TiB", Unit::bytes, 0x1p40},   {"B/s", Unit::rate, 1},
    {"kB/s", Unit::rate, 1e3},     {"MB/s", Unit::rate, 1e6},      {"GB/s", Unit::rate, 1e9},
    {"KiB/s", Unit::rate, 1024},   {"MiB/s", Unit::rate, 1048576}, {"GiB/s", Unit::rate, 0x1p30},
    {"Mbit/s", Unit::rate, 125e3}, {"Gbit/s", Unit::rate, 125e6},  {"%", Unit::share, 0.01},
};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_unit_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/' || c == '%' ||
           (static_cast<unsigned char>(c) & 0x80) != 0;
}

// Whole where nothing is lost by it: times and sizes are integers in the engine.
Value scaled(std::uint64_t whole, double fraction_value, bool is_whole, double factor) {
    if (is_whole && factor >= 1) {
        std::uint64_t product = 0;
        if (!__builtin_mul_overflow(whole, static_cast<std::uint64_t>(factor), &product)) {
            return Value::natural(product);
        }
    }
    const double exact = fraction_value * factor;
    if (factor > 1 && std::abs(exact - std::round(exact)) < 1e-6 && exact < 9e15) {
        return Value::natural(static_cast<std::uint64_t>(std::llround(exact)));
    }
    return Value::number(exact);
}

// Digits at the front: their value and how many; overflow gives none.
std::optional<int> fixed_digits(std::string_view &text, std::size_t n) {
    int v = 0;
    if (text.size() < n) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < n; ++i) {
        if (!is_digit(text[i])) {
            return std::nullopt;
        }
        v = v * 10 + (text[i] - '0');
    }
    text.remove_prefix(n);
    return v;
}

bool take(std::string_view &text, char c) {
    if (text.empty() || text.front() != c) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

// "Z", "+02:00" or nothing; nullopt: something else.
std::optional<std::chrono::minutes> offset_from_utc(std::string_view &text) {
    if (text.empty() || text == "Z" || text == "z") {
        text = {};
        return std::chrono::minutes{0};
    }
    const int sign = text.front() == '-' ? -1 : 1;
    if (!take(text, '+') && !take(text, '-')) {
        return std::nullopt;
    }
    const auto hours = fixed_digits(text, 2);
    take(text, ':');
    const auto minutes = fixed_digits(text, 2);
    if (!hours || !minutes || !text.empty() || *hours > 23 || *minutes > 59) {
        return std::nullopt;
    }
    return std::chrono::minutes{sign * (*hours * 60 + *minutes)};
}

} // namespace

QuantityResult read_quantity(std::string_view text) {
    const char *begin = text.data();
    const char *end = begin + text.size();
    std::uint64_t whole = 0;
    double number = 0;
    bool is_whole = true;
    const char *p = begin;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        const auto r = std::from_chars(begin + 2, end, whole, 16);
        if (r.ec != std::errc{}) {
            return {std::nullopt, 2, "a hexadecimal number has at most 16 digits behind 0x"};
        }
        p = r.ptr;
        number = static_cast<double>(whole);
    } else {
        const auto d = std::from_chars(begin, end, number);
        if (d.ec != std::errc{} || !std::isfinite(number)) {
            return {std::nullopt, 1, "not a number that can be used here"};
        }
        const auto w = std::from_chars(begin, end, whole);
        is_whole = w.ec == std::errc{} && w.ptr == d.ptr;
        p = d.ptr;
    }
    const char *unit_begin = p;
    while (p != end && is_unit_character(*p)) {
        ++p;
    }
    const std::string_view unit(unit_begin, static_cast<std::size_t>(p - unit_begin));
    const auto length = static_cast<std::size_t>(p - begin);
    if (unit.empty()) {
        if (p != end && (*p == '_' || *p == '.' || is_digit(*p))) {
            return {std::nullopt, length, "not a number"};
        }
        return {Quantity{is_whole ? Value::natural(whole) : Value::number(number), Unit::none}, length, {}};
    }
    for (const UnitName &u : unit_names) {
        if (u.name == unit) {
            if (p != end && (is_digit(*p) || *p == '_' || *p == '.')) {
                break;
            }
            return {Quantity{scaled(whole, number, is_whole, u.factor), u.unit}, length, {}};
        }
    }
    return {std::nullopt, length,
            fmt::format("unknown unit '{}' (times: ns us ms s min h; sizes: B kB MB GB KiB MiB GiB; rates: "
                        "MB/s Mbit/s; shares: %)",
                        unit)};
}

std::optional<Duration> parse_duration(std::string_view text) {
    const bool starts = !text.empty() && (is_digit(text.front()) || text.front() == '.');
    const auto r = starts ? read_quantity(text) : QuantityResult{};
    if (!r.quantity || r.length != text.size()) {
        return std::nullopt;
    }
    const Value &v = r.quantity->value;
    const double ns = v.type() == ValueType::natural ? static_cast<double>(v.as_natural()) : v.as_number();
    if ((r.quantity->unit != Unit::time && ns != 0) || ns > 9e18) {
        return std::nullopt;
    }
    return v.type() == ValueType::natural ? Duration{static_cast<std::int64_t>(v.as_natural())}
                                          : Duration{std::llround(ns)};
}

std::optional<Time> parse_instant(std::string_view text) {
    const auto year = fixed_digits(text, 4);
    const bool d1 = take(text, '-');
    const auto month = fixed_digits(text, 2);
    const bool d2 = take(text, '-');
    const auto day = fixed_digits(text, 2);
    const bool separator = take(text, 'T') || take(text, ' ');
    const auto hour = fixed_digits(text, 2);
    const bool c1 = take(text, ':');
    const auto minute = fixed_digits(text, 2);
    if (!year || !month || !day || !hour || !minute || !d1 || !d2 || !separator || !c1) {
        return std::nullopt;
    }
    std::optional<int> second = 0;
    std::int64_t ns = 0;
    if (take(text, ':')) {
        second = fixed_digits(text, 2);
        if (second && take(text, '.')) {
            std::int64_t scale = 100'000'000;
            bool any = false;
            for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), scale /= 10) {
                ns += (text.front() - '0') * scale;
                any = true;
            }
            if (!any) {
                return std::nullopt;
            }
        }
    }
    using namespace std::chrono;
    const year_month_day date{std::chrono::year{*year}, std::chrono::month{static_cast<unsigned>(*month)},
                              std::chrono::day{static_cast<unsigned>(*day)}};
    // Nanoseconds since 1970 reach from 1678 to 2261.
    if (!second || !date.ok() || *year < 1700 || *year > 2200 || *hour > 23 || *minute > 59 || *second > 60) {
        return std::nullopt;
    }
    const auto offset = offset_from_utc(text);
    if (!offset) {
        return std::nullopt;
    }
    const auto since_epoch =
        sys_days(date).time_since_epoch() + hours(*hour) + minutes(*minute) + seconds(*second) - *offset;
    return Time{duration_cast<Duration>(since_epoch) + Duration{ns}};
}

} // namespace iscsiscope
