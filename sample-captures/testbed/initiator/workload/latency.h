// SPDX-License-Identifier: GPL-2.0-or-later
// Response times in bounded memory: logarithmic buckets of less than 1 % width.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace iscsiscope::testbed::initiator {

class LatencyHistogram {
public:
    void add(std::chrono::nanoseconds latency); // negative counts as zero
    std::uint64_t count() const { return count_; }
    std::chrono::nanoseconds minimum() const { return std::chrono::nanoseconds{minimum_}; }
    std::chrono::nanoseconds maximum() const { return std::chrono::nanoseconds{maximum_}; }
    std::chrono::nanoseconds mean() const;
    // share: 0…1; nearest rank, the middle of its bucket, never outside minimum…maximum; 0 when empty.
    std::chrono::nanoseconds quantile(double share) const;

private:
    std::vector<std::uint64_t> buckets_; // grown as needed, at most some 7,500
    std::uint64_t count_ = 0;
    std::int64_t minimum_ = 0;
    std::int64_t maximum_ = 0;
    double sum_ = 0;
};

} // namespace iscsiscope::testbed::initiator
