// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/workload/latency.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace iscsiscope::testbed::initiator {

namespace {

// Values below 256 have a bucket each; above, 128 buckets for every doubling.
constexpr unsigned exact = 256;

std::size_t bucket_of(std::uint64_t value) {
    if (value < exact)
        return static_cast<std::size_t>(value);
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - 8; // leaves 8 significant bits: 128…255
    return exact + std::size_t{shift - 1} * 128 + static_cast<std::size_t>((value >> shift) - 128);
}

std::int64_t middle_of(std::size_t bucket) {
    if (bucket < exact)
        return static_cast<std::int64_t>(bucket);
    const std::size_t shift = (bucket - exact) / 128 + 1;
    const std::uint64_t low = static_cast<std::uint64_t>(128 + (bucket - exact) % 128) << shift;
    return static_cast<std::int64_t>(low + (std::uint64_t{1} << (shift - 1)));
}

} // namespace

void LatencyHistogram::add(std::chrono::nanoseconds latency) {
    const std::int64_t value = std::max<std::int64_t>(latency.count(), 0);
    const std::size_t bucket = bucket_of(static_cast<std::uint64_t>(value));
    if (bucket >= buckets_.size())
        buckets_.resize(bucket + 1, 0);
    ++buckets_[bucket];
    minimum_ = count_ == 0 ? value : std::min(minimum_, value);
    maximum_ = std::max(maximum_, value);
    sum_ += static_cast<double>(value);
    ++count_;
}

std::chrono::nanoseconds LatencyHistogram::mean() const {
    return std::chrono::nanoseconds{count_ == 0 ? 0 : std::llround(sum_ / static_cast<double>(count_))};
}

std::chrono::nanoseconds LatencyHistogram::quantile(double share) const {
    if (count_ == 0)
        return {};
    const double wanted = std::ceil(std::clamp(share, 0.0, 1.0) * static_cast<double>(count_));
    const auto rank = std::max<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1);
    std::uint64_t seen = 0;
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
        seen += buckets_[bucket];
        if (seen >= rank)
            return std::chrono::nanoseconds{std::clamp(middle_of(bucket), minimum_, maximum_)};
    }
    return maximum();
}

} // namespace iscsiscope::testbed::initiator
