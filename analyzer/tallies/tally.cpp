// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tallies/tally.h"

#include <algorithm>
#include <bit>

namespace iscsiscope {

std::size_t size_class(std::uint64_t bytes) {
    if (bytes == 0)
        return 0;
    return std::min<std::size_t>(1 + static_cast<std::size_t>(std::bit_width(bytes - 1)),
                                 size_class_count - 1);
}

std::optional<std::uint64_t> asked_bytes(const CycleRecord &r) {
    if (r.bytes_expected)
        return *r.bytes_expected;
    const bool all = r.complete && r.outcome == TaskOutcome::good && r.residual_known && r.residual == 0;
    return all ? std::optional(r.bytes_moved) : std::nullopt;
}

void TaskCounts::merge(const TaskCounts &other) {
    count += other.count;
    bytes += other.bytes;
    not_good += other.not_good;
}

void Tally::add(std::uint64_t moved, TaskOutcome outcome, std::optional<Duration> response) {
    TaskCounts::add(moved, outcome);
    response_time.add(response);
}

void Tally::merge(const Tally &other) {
    TaskCounts::merge(other);
    response_time.merge(other.response_time);
}

} // namespace iscsiscope
