// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/number_format.h"

#include "analyzer/base/saturating.h"
#include "analyzer/base/text/utf8.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace iscsiscope::human {
namespace {

// Formats with three digits: 1.23, 12.3, 123.
std::string three_digits(double v) {
    const int decimals = v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
    return fmt::format("{:.{}f}", v, decimals);
}

} // namespace

std::string duration(std::int64_t ns) {
    const auto v = static_cast<double>(ns);
    if (ns < 0)
        return "-" + duration(saturated_difference(0, ns));
    if (ns == 0)
        return "0";
    if (ns < 1000)
        return fmt::format("{} ns", ns);
    if (v < 999.5e3)
        return three_digits(v / 1e3) + " µs";
    if (v < 999.5e6)
        return three_digits(v / 1e6) + " ms";
    if (v < 119.5e9)
        return three_digits(v / 1e9) + " s";
    const auto s = std::llround(v / 1e9);
    return s < 7200 ? fmt::format("{} min {:02} s", s / 60, s % 60)
                    : fmt::format("{} h {:02} min", s / 3600, s % 3600 / 60);
}

std::string duration(std::optional<std::int64_t> ns) {
    return ns ? duration(*ns) : "-";
}

std::string duration(Duration d) {
    return duration(to_ns(d));
}

std::string bytes(std::uint64_t n) {
    const auto v = static_cast<double>(n);
    if (n < 1000)
        return fmt::format("{} B", n);
    const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    double scaled = v / 1e3;
    std::size_t u = 0;
    while (scaled >= 999.5 && u + 1 < std::size(units)) {
        scaled /= 1e3;
        ++u;
    }
    return fmt::format("{} {}", three_digits(scaled), units[u]);
}

std::string rate(double bytes_per_second) {
    return bytes(static_cast<std::uint64_t>(std::llround(std::max(0.0, bytes_per_second)))) + "/s";
}

std::string megabyte_rate(double bytes_per_second) {
    return fmt::format("{:.3g} MB/s", bytes_per_second / 1e6);
}

std::string block(std::uint64_t n) {
    if (n >= 1048576 && n % 524288 == 0)
        return fmt::format("{:g} MiB", static_cast<double>(n) / 1048576);
    if (n >= 1024 && n % 512 == 0)
        return fmt::format("{:g} KiB", static_cast<double>(n) / 1024);
    return n == 0 ? "none" : fmt::format("{} B", count(n));
}

std::string frame(OptionalFrame f) {
    return f ? std::to_string(*f) : "-";
}

std::string frames(OptionalFrame from, OptionalFrame to) {
    return from && to ? frame(from) + "–" + frame(to)
           : from     ? "from " + frame(from)
           : to       ? "up to " + frame(to)
                      : "-";
}

std::string count(std::uint64_t n) {
    std::string s = std::to_string(n);
    for (std::size_t i = s.size(); i > 3; i -= 3)
        s.insert(i - 3, ",");
    return s;
}

std::string share(double v) {
    const double percent = v * 100;
    if (percent > 0 && percent < 0.05)
        return "<0.1 %";
    if (percent < 100 && percent >= 99.95)
        return ">99.9 %";
    return fmt::format("{:.1f} %", percent);
}

std::string change(double share) {
    return std::abs(share) < 0.0005 ? "0.0 %" : fmt::format("{:+.1f} %", share * 100);
}

std::string instant(Time t) {
    using namespace std::chrono;
    const auto day = floor<days>(t.time_since_epoch());
    const year_month_day date{sys_days{day}};
    const hh_mm_ss clock{floor<microseconds>(t.time_since_epoch() - day)};
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:06} UTC", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                       clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                       clock.subseconds().count());
}

std::string name(std::string_view raw) {
    return printable_text(raw);
}

std::string name(std::string_view raw, std::size_t most) {
    return std::string(utf8_prefix(name(raw), most));
}

std::string path(std::string_view raw) {
    return printable_text(raw);
}

std::string plural(std::uint64_t n, const char *one, const char *more) {
    return fmt::format("{} {}", count(n), n == 1 ? one : more);
}

} // namespace iscsiscope::human
