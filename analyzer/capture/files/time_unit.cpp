// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/files/time_unit.h"

#include "analyzer/capture/files/frame_tally.h"

#include <algorithm>

namespace iscsiscope {

namespace {

using Wide = unsigned __int128;
constexpr std::uint64_t ns_per_second = 1'000'000'000;

Wide power_of_ten(unsigned exponent) {
    Wide power = 1;
    for (; exponent != 0; --exponent)
        power *= 10;
    return power;
}

} // namespace

TimeUnit::TimeUnit(std::uint8_t resolution, std::int64_t offset_seconds) : resolution_(resolution) {
    const std::int64_t max_seconds = max_time_ns / static_cast<std::int64_t>(ns_per_second);
    offset_ns_ =
        std::clamp(offset_seconds, -max_seconds, max_seconds) * static_cast<std::int64_t>(ns_per_second);
    if (resolution <= 9) {
        multiplier_ = static_cast<std::uint64_t>(power_of_ten(9U - resolution));
        largest_direct_ =
            static_cast<std::uint64_t>(max_time_ns - std::max<std::int64_t>(offset_ns_, 0)) / multiplier_;
    }
}

Time TimeUnit::converted(std::uint64_t units) const {
    const unsigned exponent = resolution_ & 0x7fU;
    Wide ns = 0;
    if ((resolution_ & 0x80U) != 0) {
        // exponent ≤ 127, and units * 10^9 < 2^94
        ns = (Wide{units} * ns_per_second) >> exponent;
    } else if (exponent <= 9) {
        ns = Wide{units} * power_of_ten(9 - exponent);
    } else if (exponent < 9 + 20) { // 2^64 < 10^20
        ns = units / power_of_ten(exponent - 9);
    }
    const auto bounded = static_cast<std::int64_t>(std::min<Wide>(ns, static_cast<Wide>(max_time_ns)));
    return time_from_ns(std::clamp(bounded + offset_ns_, -max_time_ns, max_time_ns));
}

int TimeUnit::digits() const {
    const int exponent = resolution_ & 0x7f;
    const int decimal = (resolution_ & 0x80U) != 0 ? exponent * 30103 / 100000 : exponent; // log10(2)
    return std::min(decimal, 9);
}

} // namespace iscsiscope
