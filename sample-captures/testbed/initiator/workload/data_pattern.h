// SPDX-License-Identifier: GPL-2.0-or-later
// Data that names its place: every logical block carries its address, the generation of the write
// that made it and the run's seed, the rest being pseudo-random bytes of these three. What is read back
// is checked to the last byte without keeping a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace iscsiscope::testbed::initiator {

// Fills whole blocks. block_bytes: a multiple of 8, at least 32; data.size(): a multiple of it.
void fill_pattern(std::span<std::byte> data, std::size_t block_bytes, std::uint64_t first_lba,
                  std::uint64_t generation, std::uint64_t seed);

struct BlockVerdict {
    bool is_pattern = false;      // made by fill_pattern at all
    std::uint64_t lba = 0;        // as the block says
    std::uint64_t generation = 0; // as the block says
    std::uint64_t seed = 0;
    // Offset of the first byte that does not follow from the three; nothing: whole.
    std::optional<std::size_t> damaged_at;
};
// block.size(): as in fill_pattern.
BlockVerdict inspect_block(std::span<const std::byte> block);

// What is wrong with a block that should be `lba`, of `generation` (nothing: any) and `seed`; empty if
// nothing.
std::string describe_mismatch(const BlockVerdict &verdict, std::uint64_t lba,
                              std::optional<std::uint64_t> generation, std::uint64_t seed);

} // namespace iscsiscope::testbed::initiator
