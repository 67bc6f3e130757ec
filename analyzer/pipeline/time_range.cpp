// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/time_range.h"

#include "analyzer/base/instant.h"
#include "analyzer/base/units.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

double seconds_of(const Value &v) {
    return v.type() == ValueType::natural ? static_cast<double>(v.as_natural()) : v.as_number();
}

} // namespace

std::optional<TimeRange::Bound> TimeRange::parse_bound(std::string_view text) {
    if (const auto instant = parse_instant(text))
        return Bound{instant, {}};
    if (const auto length = parse_duration(text); length.ok())
        return Bound{std::nullopt, length.value()};
    const auto number = read_quantity(text);
    if (!number.ok() || number.value().length != text.size() || number.value().unit != Unit::none)
        return std::nullopt;
    const double s = seconds_of(number.value().value);
    if (!(s >= 0) || s > 9e9)
        return std::nullopt;
    // Seconds and their fraction are converted apart: a double cannot hold a date in nanoseconds exactly.
    const double whole = std::floor(s);
    const Duration d = std::chrono::seconds(std::llround(whole)) + Duration{std::llround((s - whole) * 1e9)};
    if (s >= 1e9)
        return Bound{Time{d}, {}};
    return Bound{std::nullopt, d};
}

Result<TimeRange> TimeRange::parse(std::string_view text) {
    const auto dots = text.find("..");
    const auto bad = [](std::string_view what) {
        return Failure{
            fmt::format("'{}' is not a time; give seconds from the first frame (2.5), a length (500ms) or "
                        "a date and time (2024-05-01T12:00:00Z)",
                        what)};
    };
    if (dots == std::string_view::npos)
        return Failure{fmt::format("'{}' is not a range; write FROM..TO, FROM.. or ..TO", text)};
    const std::string_view from = text.substr(0, dots), to = text.substr(dots + 2);
    TimeRange range;
    if (!from.empty() && !(range.from_ = parse_bound(from)))
        return bad(from);
    if (!to.empty() && !(range.to_ = parse_bound(to)))
        return bad(to);
    if (range.from_ && range.to_ && range.from_->absolute.has_value() == range.to_->absolute.has_value()) {
        const bool backwards = range.from_->absolute ? *range.from_->absolute >= *range.to_->absolute
                                                     : range.from_->relative >= range.to_->relative;
        if (backwards)
            return Failure{fmt::format("the range '{}' ends before it begins", text)};
    }
    return range;
}

void TimeRange::anchor(Time first) {
    const auto place = [&](const Bound &b) { return b.absolute ? *b.absolute : first + b.relative; };
    if (from_)
        begin_ = place(*from_);
    if (to_)
        end_ = place(*to_);
}

Duration TimeRange::overlap(Time start, Duration length) const {
    return std::max(Duration{0}, std::min(start + length, end_) - std::max(start, begin_));
}

} // namespace iscsiscope
