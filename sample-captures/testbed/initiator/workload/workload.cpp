// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/workload/workload.h"

#include <algorithm>
#include <array>
#include <utility>

namespace iscsiscope::testbed::initiator {

namespace {
constexpr std::array<std::pair<WorkloadKind, std::string_view>, 7> names{{
    {WorkloadKind::sequential_read, "seq-read"},
    {WorkloadKind::sequential_write, "seq-write"},
    {WorkloadKind::random_read, "rand-read"},
    {WorkloadKind::random_write, "rand-write"},
    {WorkloadKind::constant_read, "const-read"},
    {WorkloadKind::constant_write, "const-write"},
    {WorkloadKind::mixed, "mixed"},
}};
} // namespace

std::string_view name(WorkloadKind kind) {
    for (const auto &[value, text] : names)
        if (value == kind)
            return text;
    return "unknown";
}

std::optional<WorkloadKind> workload_from_name(std::string_view wanted) {
    for (const auto &[value, text] : names)
        if (text == wanted)
            return value;
    return std::nullopt;
}

WorkloadGenerator::WorkloadGenerator(WorkloadKind kind, BlockRange region, std::uint64_t request_blocks,
                                     double read_share, std::uint64_t seed)
    : kind_(kind), region_(region), request_blocks_(request_blocks), read_share_(read_share), random_(seed) {}

BlockRange WorkloadGenerator::random_range() {
    // Aligned to the request, as files and databases do. The modulo's bias is below 2^-30 for any disk
    // that fits the test bed, and unlike uniform_int_distribution it is the same in every library.
    const std::uint64_t slots = region_.count / request_blocks_;
    return {region_.first + random_() % slots * request_blocks_, request_blocks_};
}

Request WorkloadGenerator::next() {
    switch (kind_) {
    case WorkloadKind::constant_read:
    case WorkloadKind::constant_write:
        return {kind_ == WorkloadKind::constant_write, {region_.first, request_blocks_}};
    case WorkloadKind::random_read:
    case WorkloadKind::random_write:
        return {kind_ == WorkloadKind::random_write, random_range()};
    case WorkloadKind::mixed: {
        const double draw = static_cast<double>(random_() >> 11) * 0x1p-53;
        return {draw >= read_share_, random_range()};
    }
    case WorkloadKind::sequential_read:
    case WorkloadKind::sequential_write:
        break;
    }
    if (position_ + request_blocks_ > region_.count)
        position_ = 0;
    const BlockRange range{region_.first + position_, request_blocks_};
    position_ += request_blocks_;
    return {kind_ == WorkloadKind::sequential_write, range};
}

std::vector<std::uint64_t> split_request(std::uint64_t total, std::span<const std::uint64_t> sizes) {
    std::vector<std::uint64_t> parts;
    std::uint64_t left = total;
    std::uint64_t last = 0;
    for (const std::uint64_t size : sizes) {
        if (size == 0)
            continue;
        last = size;
        if (left == 0)
            break;
        parts.push_back(std::min(size, left));
        left -= parts.back();
    }
    while (left > 0) {
        parts.push_back(last == 0 ? left : std::min(last, left));
        left -= parts.back();
    }
    return parts;
}

BlockRange region_of_process(BlockRange region, unsigned index, unsigned processes,
                             std::uint64_t request_blocks) {
    const std::uint64_t requests = region.count / request_blocks;
    if (processes <= 1 || requests < processes)
        return region;
    const std::uint64_t each = requests / processes * request_blocks;
    return {region.first + index * each, each};
}

} // namespace iscsiscope::testbed::initiator
