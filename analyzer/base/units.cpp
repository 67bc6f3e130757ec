// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/units.h"

#include "analyzer/base/text/ascii.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <span>

namespace iscsiscope {
namespace {

struct UnitName {
    std::string_view name;
    double factor;
};

constexpr UnitName times[] = {{"ns", 1},  {"us", 1e3},   {"µs", 1e3},  {"ms", 1e6},
                              {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}};
constexpr UnitName sizes[] = {{"B", 1},        {"kB", 1e3},    {"KB", 1e3},   {"MB", 1e6},
                              {"GB", 1e9},     {"TB", 1e12},   {"KiB", 1024}, {"MiB", 1048576},
                              {"GiB", 0x1p30}, {"TiB", 0x1p40}};
constexpr UnitName short_sizes[] = {{"K", 1024}, {"M", 1048576}, {"G", 0x1p30}, {"T", 0x1p40}};
constexpr UnitName bits[] = {{"bit", 1}, {"kbit", 1e3}, {"Mbit", 1e6}, {"Gbit", 1e9}};

std::optional<double> factor_in(std::span<const UnitName> units, std::string_view name) {
    for (const UnitName &u : units)
        if (u.name == name)
            return u.factor;
    return std::nullopt;
}

bool take_per_second(std::string_view &name) {
    const bool per_second = name.ends_with("/s");
    name.remove_suffix(per_second ? 2 : 0);
    return per_second;
}

bool is_unit_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/' || c == '%' ||
           (static_cast<unsigned char>(c) & 0x80) != 0;
}

struct Number {
    double value = 0;
    std::uint64_t whole = 0;
    bool is_whole = false; // `whole` is exact
    std::size_t length = 0;

    // Returns an integer where that is exact, since times and sizes are integers in the engine.
    Value times(double factor) const {
        std::uint64_t product = 0;
        if (is_whole && factor >= 1 &&
            !__builtin_mul_overflow(whole, static_cast<std::uint64_t>(factor), &product))
            return Value::natural(product);
        const double exact = value * factor;
        if (factor >= 1 && std::abs(exact - std::round(exact)) <= exact * 1e-15 && exact < 9e18)
            return Value::natural(static_cast<std::uint64_t>(std::llround(exact)));
        return Value::number(exact);
    }
};

std::optional<Number> decimal_number(std::string_view text) {
    const char *const begin = text.data(), *const end = begin + text.size();
    Number n;
    if (text.empty() || (!is_digit(text.front()) && text.front() != '.'))
        return std::nullopt;
    const auto d = std::from_chars(begin, end, n.value);
    if (d.ec != std::errc{} || !std::isfinite(n.value))
        return std::nullopt;
    const auto w = std::from_chars(begin, end, n.whole);
    n.is_whole = w.ec == std::errc{} && w.ptr == d.ptr;
    n.length = static_cast<std::size_t>(d.ptr - begin);
    return n;
}

// A kind of quantity that an option takes.
struct Kind {
    const char *expected;
    const char *smallest; // unit of the result
    std::uint64_t most;
    std::optional<double> (*factor)(std::string_view unit);
};

constexpr std::uint64_t max_time = 36525 * 86'400'000'000'000; // 100 years
constexpr Kind time_kind = {"expected a time such as \"16ms\" (units: ns, us, ms, s, min, h)", "nanosecond",
                            max_time, [](std::string_view unit) { return factor_in(times, unit); }};
constexpr Kind bytes_kind = {
    "expected a size such as \"64KiB\" (units: B, kB, MB, GB, TB, KiB, MiB, GiB, TiB)", "byte",
    std::uint64_t{1} << 62,
    [](std::string_view unit) {
        const auto factor = factor_in(sizes, unit);
        return factor ? factor : unit.empty() ? 1 : factor_in(short_sizes, unit);
    }};
constexpr Kind rate_kind = {
    "expected a rate such as \"100Mbit/s\" (units: bit/s, kbit/s, Mbit/s, Gbit/s, B/s, kB/s, MB/s, GB/s)",
    "bit per second", std::uint64_t{1} << 62, [](std::string_view unit) {
        take_per_second(unit);
        if (const auto factor = factor_in(bits, unit)) {
            return factor;
        }
        const auto factor = unit.empty() ? std::nullopt : bytes_kind.factor(unit);
        return factor ? std::optional(*factor * 8) : std::nullopt;
    }};

Result<std::uint64_t> parse(std::string_view text, const Kind &kind) {
    const auto wrong = [&](std::string_view why) {
        return Failure{fmt::format("\"{}\" {}; {}", text, why, kind.expected)};
    };
    const auto number = decimal_number(text);
    if (!number)
        return wrong("does not begin with a number from 0 on");
    std::string_view unit = text.substr(number->length);
    unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
    if (unit.empty() && number->value == 0)
        return std::uint64_t{0};
    const auto factor = kind.factor(unit);
    if (!factor)
        return wrong(unit.empty() ? "has no unit" : "has an unknown unit");
    const Value v = number->times(*factor);
    const bool whole = v.type() == ValueType::natural;
    if (whole ? v.as_natural() > kind.most : v.as_number() > static_cast<double>(kind.most))
        return wrong("is too large");
    if (!whole)
        return wrong(fmt::format("is not a whole multiple of one {}", kind.smallest));
    return v.as_natural();
}

} // namespace

Result<Duration> parse_duration(std::string_view text) {
    const auto ns = parse(text, time_kind);
    if (!ns.ok())
        return ns.failure();
    return Duration{static_cast<std::int64_t>(ns.value())};
}

Result<std::uint64_t> parse_rate(std::string_view text) {
    return parse(text, rate_kind);
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
    return parse(text, bytes_kind);
}

Result<double> parse_share(std::string_view text) {
    const auto number = decimal_number(text);
    std::string_view unit = text.substr(number ? number->length : 0);
    unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
    const double share = number ? number->value / (unit == "%" ? 100 : 1) : -1;
    if ((unit != "%" && !unit.empty()) || !(share >= 0 && share <= 1)) {
        return Failure{
            fmt::format("\"{}\" is not a share; expected 0 to 1 or a percentage such as \"0.1%\"", text)};
    }
    return share;
}

Result<Quantity> read_quantity(std::string_view text) {
    const char *const begin = text.data(), *const end = begin + text.size();
    Number number;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        const auto r = std::from_chars(begin + 2, end, number.whole, 16);
        if (r.ec != std::errc{})
            return Failure{"a hexadecimal number has at most 16 digits after 0x"};
        number = {static_cast<double>(number.whole), number.whole, true,
                  static_cast<std::size_t>(r.ptr - begin)};
    } else if (const auto decimal = decimal_number(text)) {
        number = *decimal;
    } else {
        return Failure{"not a number that can be used here"};
    }
    const char *const unit_begin = begin + number.length;
    const char *p = unit_begin;
    while (p != end && is_unit_character(*p))
        ++p;
    const std::string_view unit(unit_begin, static_cast<std::size_t>(p - unit_begin));
    const auto length = static_cast<std::size_t>(p - begin);
    const bool goes_on = p != end && (is_digit(*p) || *p == '_' || *p == '.');
    if (unit.empty()) {
        if (goes_on)
            return Failure{"not a number"};
        return Quantity{number.is_whole ? Value::natural(number.whole) : Value::number(number.value),
                        Unit::none, length};
    }
    if (!goes_on) {
        std::string_view name = unit;
        const bool per_second = take_per_second(name);
        if (const auto factor = factor_in(times, unit))
            return Quantity{number.times(*factor), Unit::time, length};
        if (const auto factor = factor_in(sizes, name))
            return Quantity{number.times(*factor), per_second ? Unit::rate : Unit::bytes, length};
        if (const auto factor = factor_in(bits, name); factor && per_second)
            return Quantity{number.times(*factor / 8), Unit::rate, length};
        if (unit == "%")
            return Quantity{number.times(0.01), Unit::share, length};
    }
    return Failure{
        fmt::format("unknown unit '{}' (times: ns us ms s min h; sizes: B kB MB GB KiB MiB GiB; rates: "
                    "MB/s Mbit/s; shares: %)",
                    unit)};
}

} // namespace iscsiscope
