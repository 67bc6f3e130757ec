// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/workload/data_verifier.h"

#include "sample-captures/testbed/initiator/workload/data_pattern.h"

#include <algorithm>

namespace iscsiscope::testbed::initiator {

DataVerifier::DataVerifier(std::uint64_t seed, std::size_t block_bytes, bool expect_all)
    : seed_(seed), block_bytes_(block_bytes), expect_all_(expect_all) {}

bool DataVerifier::conflicts(const BlockRange &range, bool write) const {
    return std::any_of(
        in_flight_.begin(), in_flight_.end(),
        [&](const InFlight &other) { return (write || other.write) && other.range.overlaps(range); });
}

void DataVerifier::begin(const BlockRange &range, bool write) {
    in_flight_.push_back({range, write});
}

void DataVerifier::leave(const BlockRange &range, bool write) {
    const auto found = std::find_if(in_flight_.begin(), in_flight_.end(), [&](const InFlight &other) {
        return other.write == write && other.range.first == range.first && other.range.count == range.count;
    });
    if (found == in_flight_.end())
        return;
    *found = in_flight_.back();
    in_flight_.pop_back();
}

void DataVerifier::end_write(const BlockRange &range, std::uint32_t generation, bool good) {
    leave(range, true);
    for (std::uint64_t lba = range.first; lba < range.first + range.count; ++lba)
        note(lba, good ? generation : unknown);
}

void DataVerifier::end_read(const BlockRange &range) {
    leave(range, false);
}

std::uint32_t DataVerifier::generation_of(std::uint64_t lba) const {
    const std::uint64_t chunk = lba / chunk_blocks;
    if (chunk >= chunks_.size() || !chunks_[chunk])
        return unknown;
    return (*chunks_[chunk])[lba % chunk_blocks];
}

void DataVerifier::note(std::uint64_t lba, std::uint32_t generation) {
    const std::uint64_t chunk = lba / chunk_blocks;
    if (chunk >= chunks_.size())
        chunks_.resize(chunk + 1);
    if (!chunks_[chunk])
        chunks_[chunk] = std::make_unique<Chunk>();
    (*chunks_[chunk])[lba % chunk_blocks] = generation;
}

void DataVerifier::check(const BlockRange &range, std::span<const std::byte> data,
                         const std::string &source) {
    for (std::uint64_t i = 0; i < range.count; ++i) {
        const std::uint64_t lba = range.first + i;
        const std::uint32_t generation = generation_of(lba);
        if (generation == unknown && !expect_all_) {
            ++unchecked_;
            continue;
        }
        ++checked_;
        const BlockVerdict verdict = inspect_block(data.subspan(i * block_bytes_, block_bytes_));
        const auto expected = generation == unknown ? std::nullopt : std::optional<std::uint64_t>{generation};
        const std::string wrong = describe_mismatch(verdict, lba, expected, seed_);
        if (wrong.empty())
            continue;
        ++wrong_;
        if (complaints_.size() < 5)
            complaints_.push_back(
                std::string(source).append(": block ").append(std::to_string(lba)).append(" ").append(wrong));
    }
}

BlockRange DataVerifier::known_from(std::uint64_t from, std::uint64_t most) const {
    const std::uint64_t end = chunks_.size() * chunk_blocks;
    std::uint64_t first = from;
    while (first < end && generation_of(first) == unknown)
        first = chunks_[first / chunk_blocks] ? first + 1 : (first / chunk_blocks + 1) * chunk_blocks;
    BlockRange range{first, 0};
    while (range.count < most && first + range.count < end && generation_of(first + range.count) != unknown)
        ++range.count;
    return range;
}

} // namespace iscsiscope::testbed::initiator
