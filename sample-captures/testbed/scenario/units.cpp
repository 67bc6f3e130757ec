// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/scenario/units.h"

#include <cstdlib>
#include <fmt/format.h>
#include <initializer_list>
#include <limits>

namespace iscsiscope::testbed::scenario {
namespace {

struct Unit {
    std::string_view name;
    std::int64_t factor;
};

// A decimal number and a unit, in integer arithmetic: "0.14ms" is 140000 exactly.
Result<std::int64_t> parse_quantity(std::string_view text, std::initializer_list<Unit> units,
                                    const char *example) {
    const auto wrong = [&](const char *why) {
        std::string names;
        for (const Unit &unit : units) {
            names += fmt::format("{}{}", names.empty() ? "" : ", ", unit.name);
        }
        return Failure{fmt::format("\"{}\" {}: a number and one of {} is meant, as in \"{}\"", text, why,
                                   names, example)};
    };
    std::int64_t mantissa = 0;
    std::int64_t fraction = 1;
    std::size_t at = 0;
    bool digits = false;
    bool point = false;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (c < '0' || c > '9') {
            break;
        }
        if (mantissa > std::numeric_limits<std::int64_t>::max() / 20 || fraction > 1'000'000'000'000'000) {
            return wrong("has too many digits");
        }
        mantissa = mantissa * 10 + (c - '0');
        fraction *= point ? 10 : 1;
        digits = true;
    }
    if (!digits) {
        return wrong("has no number");
    }
    while (at < text.size() && text[at] == ' ') {
        ++at;
    }
    const std::string_view name = text.substr(at);
    for (const Unit &unit : units) {
        if (unit.name != name) {
            continue;
        }
        std::int64_t value = 0;
        if (__builtin_mul_overflow(mantissa, unit.factor, &value)) {
            return wrong("is too large");
        }
        if (value % fraction != 0) {
            return wrong("is finer than the smallest unit");
        }
        return value / fraction;
    }
    return wrong(name.empty() ? "has no unit" : "has an unknown unit");
}

} // namespace

Result<Duration> parse_duration(std::string_view text) {
    const Result<std::int64_t> ns = parse_quantity(
        text, {{"ns", 1}, {"us", 1000}, {"ms", 1'000'000}, {"s", 1'000'000'000}, {"min", 60'000'000'000}},
        "16ms");
    if (!ns.ok()) {
        return ns.failure();
    }
    return Duration{ns.value()};
}

Result<std::int64_t> parse_rate(std::string_view text) {
    return parse_quantity(text,
                          {{"bit/s", 1},
                           {"kbit/s", 1000},
                           {"Mbit/s", 1'000'000},
                           {"Gbit/s", 1'000'000'000},
                           {"B/s", 8},
                           {"kB/s", 8000},
                           {"MB/s", 8'000'000}},
                          "100Mbit/s");
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
    const Result<std::int64_t> bytes = parse_quantity(text,
                                                      {{"B", 1},
                                                       {"kB", 1000},
                                                       {"MB", 1'000'000},
                                                       {"GB", 1'000'000'000},
                                                       {"KiB", 1024},
                                                       {"MiB", 1024 * 1024},
                                                       {"GiB", 1024 * 1024 * 1024}},
                                                      "64KiB");
    if (!bytes.ok()) {
        return bytes.failure();
    }
    return static_cast<std::uint64_t>(bytes.value());
}

Result<double> parse_share(std::string_view text) {
    const std::string copy(text);
    char *end = nullptr;
    const double value = std::strtod(copy.c_str(), &end);
    if (end == copy.c_str() || std::string_view(end) != "%" || !(value >= 0.0 && value <= 100.0)) {
        return Failure{
            fmt::format("\"{}\": a number from 0 to 1 or a percentage is meant, as in \"0.1%\"", text)};
    }
    return value / 100.0;
}

} // namespace iscsiscope::testbed::scenario
