// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/workload/data_pattern.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace iscsiscope::testbed::initiator {

namespace {

constexpr std::uint64_t magic = 0x31706f6373695349; // "ISiscop1" in memory of a little-endian machine
using Head = std::array<std::uint64_t, 4>;          // magic, lba, generation, seed

constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

// A counter with an odd step, mixed by one multiplication: fast, and no two blocks alike.
class Filler {
public:
    explicit Filler(const Head &head) : state_(mix(mix(mix(head[1]) + head[2]) + head[3])) {}
    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15;
        const std::uint64_t x = (state_ ^ (state_ >> 32)) * 0xd6e8feb86659fd93;
        return x ^ (x >> 32);
    }

private:
    std::uint64_t state_;
};

} // namespace

void fill_pattern(std::span<std::byte> data, std::size_t block_bytes, std::uint64_t first_lba,
                  std::uint64_t generation, std::uint64_t seed) {
    for (std::uint64_t lba = first_lba; data.size() >= block_bytes; ++lba, data = data.subspan(block_bytes)) {
        const Head head{magic, lba, generation, seed};
        std::memcpy(data.data(), head.data(), sizeof head);
        Filler filler(head);
        for (std::size_t at = sizeof head; at < block_bytes; at += 8) {
            const std::uint64_t word = filler.next();
            std::memcpy(data.data() + at, &word, sizeof word);
        }
    }
}

BlockVerdict inspect_block(std::span<const std::byte> block) {
    BlockVerdict verdict;
    Head head{};
    if (block.size() < sizeof head)
        return verdict;
    std::memcpy(head.data(), block.data(), sizeof head);
    if (head[0] != magic)
        return verdict;
    verdict.is_pattern = true;
    verdict.lba = head[1];
    verdict.generation = head[2];
    verdict.seed = head[3];
    Filler filler(head);
    for (std::size_t at = sizeof head; at + 8 <= block.size(); at += 8) {
        const std::uint64_t expected = filler.next();
        if (std::memcmp(block.data() + at, &expected, sizeof expected) == 0)
            continue;
        std::array<std::byte, 8> bytes{};
        std::memcpy(bytes.data(), &expected, sizeof expected);
        const auto difference =
            std::mismatch(bytes.begin(), bytes.end(), block.begin() + static_cast<std::ptrdiff_t>(at));
        verdict.damaged_at = at + static_cast<std::size_t>(difference.first - bytes.begin());
        break;
    }
    return verdict;
}

std::string describe_mismatch(const BlockVerdict &verdict, std::uint64_t lba,
                              std::optional<std::uint64_t> generation, std::uint64_t seed) {
    if (!verdict.is_pattern)
        return "holds no test pattern";
    if (verdict.lba != lba)
        return "holds block " + std::to_string(verdict.lba);
    if (verdict.seed != seed)
        return "holds data of seed " + std::to_string(verdict.seed) + ", expected " + std::to_string(seed);
    if (generation && verdict.generation != *generation)
        return "holds generation " + std::to_string(verdict.generation) + ", expected " +
               std::to_string(*generation);
    if (verdict.damaged_at)
        return "differs from byte " + std::to_string(*verdict.damaged_at) + " on";
    return {};
}

} // namespace iscsiscope::testbed::initiator
