// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/instant.h"

#include "analyzer/base/text/ascii.h"

#include <chrono>

namespace iscsiscope {
namespace {

// Returns the value and the number of the digits at the front; nothing if the value overflows.
std::optional<int> fixed_digits(std::string_view &text, std::size_t n) {
    int v = 0;
    if (text.size() < n)
        return std::nullopt;
    for (std::size_t i = 0; i < n; ++i) {
        if (!is_digit(text[i]))
            return std::nullopt;
        v = v * 10 + (text[i] - '0');
    }
    text.remove_prefix(n);
    return v;
}

bool take(std::string_view &text, char c) {
    if (text.empty() || text.front() != c)
        return false;
    text.remove_prefix(1);
    return true;
}

// Parses an offset: "Z", "+02:00" or an empty text. Returns nothing for any other text.
std::optional<std::chrono::minutes> offset_from_utc(std::string_view &text) {
    if (text.empty() || text == "Z" || text == "z") {
        text = {};
        return std::chrono::minutes{0};
    }
    const int sign = text.front() == '-' ? -1 : 1;
    if (!take(text, '+') && !take(text, '-'))
        return std::nullopt;
    const auto hours = fixed_digits(text, 2);
    take(text, ':');
    const auto minutes = fixed_digits(text, 2);
    if (!hours || !minutes || !text.empty() || *hours > 23 || *minutes > 59)
        return std::nullopt;
    return std::chrono::minutes{sign * (*hours * 60 + *minutes)};
}

} // namespace

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
    if (!year || !month || !day || !hour || !minute || !d1 || !d2 || !separator || !c1)
        return std::nullopt;
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
            if (!any)
                return std::nullopt;
        }
    }
    using namespace std::chrono;
    const year_month_day date{std::chrono::year{*year}, std::chrono::month{static_cast<unsigned>(*month)},
                              std::chrono::day{static_cast<unsigned>(*day)}};
    // Nanoseconds since 1970 reach from 1678 to 2261.
    if (!second || !date.ok() || *year < 1700 || *year > 2200 || *hour > 23 || *minute > 59 || *second > 60)
        return std::nullopt;
    const auto offset = offset_from_utc(text);
    if (!offset)
        return std::nullopt;
    const auto since_epoch =
        sys_days(date).time_since_epoch() + hours(*hour) + minutes(*minute) + seconds(*second) - *offset;
    return Time{duration_cast<Duration>(since_epoch) + Duration{ns}};
}

} // namespace iscsiscope
