// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/config/distribution_spec.h"

#include "analyzer/base/units.h"

#include <fmt/format.h>

namespace iscsiscope::testbed {

Result<DurationRange> parse_duration_range(std::string_view text) {
    const auto dots = text.find("..");
    if (dots == std::string_view::npos)
        return Failure{fmt::format("\"{}\" is not two times such as \"3ms..16ms\"", text)};
    const auto low = parse_duration(text.substr(0, dots)), high = parse_duration(text.substr(dots + 2));
    if (!low.ok() || !high.ok())
        return low.ok() ? high.failure() : low.failure();
    if (high.value() < low.value())
        return Failure{fmt::format("\"{}\" ends below its beginning", text)};
    return DurationRange{low.value(), high.value()};
}

Result<Distribution> parse_distribution(std::string_view text) {
    if (text == "none")
        return Distribution{};
    const auto colon = text.find(':');
    const std::string_view kind = text.substr(0, colon);
    const std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
    if (kind == "uniform") {
        const auto range = parse_duration_range(rest);
        if (!range.ok())
            return range.failure();
        return Distribution{Distribution::Kind::uniform, range.value().low, range.value().high};
    }
    if (kind != "constant" && kind != "exponential")
        return Failure{fmt::format("\"{}\" is none of none, constant:TIME, uniform:TIME..TIME and "
                                   "exponential:TIME",
                                   text)};
    const auto value = parse_duration(rest);
    if (!value.ok())
        return value.failure();
    return Distribution{kind == "constant" ? Distribution::Kind::constant : Distribution::Kind::exponential,
                        value.value(),
                        {}};
}

} // namespace iscsiscope::testbed
