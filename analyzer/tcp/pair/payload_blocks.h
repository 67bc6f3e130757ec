// SPDX-License-Identifier: GPL-2.0-or-later
// Checksums in place of the payload of a segment, so that two captures can be compared without keeping
// either.
//
// Policy: of the captured payload of each segment one CRC32C is kept for each block: of 16 bytes within the
// first 128, which cut captures hold as well, of 128 bytes behind them, the last block being shorter. That is
// a thirty-second of a large payload and at most 28 bytes more. Two payloads are compared block by block as
// far as both captures hold the block; where one capture is cut shorter than the other, the block in which it
// ends is left out. A difference in up to 5 bits or within 32 adjacent bits of a block is always found, any
// other one with a probability of 1 - 2^-32. Bytes that are equal are never taken for different.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace iscsiscope {

inline constexpr std::uint32_t payload_block = 128, head_block = 16;

// Length of the block that begins at this byte.
constexpr std::uint32_t block_length(std::uint32_t at) {
    return at < payload_block ? head_block : payload_block;
}
constexpr std::uint32_t block_count(std::uint32_t bytes) {
    return bytes <= payload_block ? (bytes + head_block - 1) / head_block
                                  : payload_block / head_block + (bytes - 1) / payload_block;
}

// Appends the CRC of each block of a payload.
void append_blocks(std::span<const std::byte> payload, std::vector<std::uint32_t> &to);

struct PayloadSums {
    std::span<const std::uint32_t> blocks;
    std::uint32_t bytes = 0; // length of the payload that they stand for
};

struct PayloadComparison {
    std::uint32_t compared = 0; // bytes
    bool differs = false;
    // The first differing byte lies at `at` or less than `within` bytes behind it. `within` is 1 if the block
    // differs in one byte only.
    std::uint32_t at = 0, within = 0;
};

PayloadComparison compare_payloads(const PayloadSums &, const PayloadSums &);

// Returns the position of the one byte in which two blocks of this length differ, from the exclusive or of
// their CRCs; empty if they differ in more than one byte. A CRC is linear: that exclusive or depends on the
// differing bits and their places only.
std::optional<std::uint32_t> differing_byte(std::uint32_t crc_difference, std::uint32_t length);

} // namespace iscsiscope
