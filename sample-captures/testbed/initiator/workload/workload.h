// SPDX-License-Identifier: GPL-2.0-or-later
// What is read and written: a sequence of block requests, decided by kind, region and seed alone.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string_view>
#include <vector>

namespace iscsiscope::testbed::initiator {

enum class WorkloadKind : std::uint8_t {
    sequential_read,
    sequential_write,
    random_read,
    random_write,
    constant_read, // always the same address: a cache hit
    constant_write,
    mixed, // random addresses, reads and writes
};

// "seq-read", "rand-write", …
std::string_view name(WorkloadKind);
std::optional<WorkloadKind> workload_from_name(std::string_view);
constexpr bool only_reads(WorkloadKind kind) {
    return kind == WorkloadKind::sequential_read || kind == WorkloadKind::random_read ||
           kind == WorkloadKind::constant_read;
}

// In logical blocks of the unit.
struct BlockRange {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    bool overlaps(const BlockRange &other) const {
        return first < other.first + other.count && other.first < first + count;
    }
};

struct Request {
    bool write = false;
    BlockRange range;
};

class WorkloadGenerator {
public:
    // region.count must be at least request_blocks, and that at least 1; read_share (0…1) is for mixed.
    WorkloadGenerator(WorkloadKind kind, BlockRange region, std::uint64_t request_blocks, double read_share,
                      std::uint64_t seed);
    // Sequential requests start over at the region's beginning when the next would cross its end.
    Request next();

private:
    BlockRange random_range();

    WorkloadKind kind_;
    BlockRange region_;
    std::uint64_t request_blocks_;
    double read_share_;
    std::uint64_t position_ = 0;
    std::mt19937_64 random_;
};

// The commands that one request of `total` blocks becomes: sizes in turn, the last size repeated, the
// rest in a shorter last command. Empty sizes: one command. Zero sizes are skipped.
std::vector<std::uint64_t> split_request(std::uint64_t total, std::span<const std::uint64_t> sizes);

// Process `index` of `processes` gets this part of the region (equal parts, whole requests where that
// leaves at least one request each; otherwise all share the region).
BlockRange region_of_process(BlockRange region, unsigned index, unsigned processes,
                             std::uint64_t request_blocks);

} // namespace iscsiscope::testbed::initiator
