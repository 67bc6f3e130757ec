// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/pair/payload_blocks.h"

#include "analyzer/base/crc32c/crc32c.h"

#include <algorithm>
#include <array>

namespace iscsiscope {

void append_blocks(std::span<const std::byte> payload, std::vector<std::uint32_t> &to) {
    for (std::uint32_t at = 0; at < payload.size(); at += block_length(at))
        to.push_back(
            crc32c(0, payload.subspan(at, std::min<std::size_t>(payload.size() - at, block_length(at)))));
}

std::optional<std::uint32_t> differing_byte(std::uint32_t crc_difference, std::uint32_t length) {
    std::array<std::byte, payload_block> bytes{};
    const auto block = std::span(bytes).first(std::min(length, payload_block));
    const std::uint32_t zero = crc32c(0, block);
    std::optional<std::uint32_t> found;
    for (std::uint32_t at = 0; at < block.size(); ++at) {
        // What each bit of this byte adds to the CRC.
        std::array<std::uint32_t, 8> bits{};
        for (std::size_t bit = 0; bit < bits.size(); ++bit) {
            block[at] = static_cast<std::byte>(1U << bit);
            bits[bit] = crc32c(0, block) ^ zero;
        }
        block[at] = std::byte{0};
        for (std::uint32_t value = 1; value < 256; ++value) {
            std::uint32_t sum = 0;
            for (std::size_t bit = 0; bit < bits.size(); ++bit)
                sum ^= (value >> bit & 1) != 0 ? bits[bit] : 0;
            if (sum != crc_difference)
                continue;
            if (found)
                return std::nullopt; // another byte would give the same difference
            found = at;
        }
    }
    return found;
}

PayloadComparison compare_payloads(const PayloadSums &a, const PayloadSums &b) {
    const std::uint32_t shorter = std::min(a.bytes, b.bytes);
    PayloadComparison result;
    const std::uint32_t last = block_length(shorter);
    result.compared = a.bytes == b.bytes ? shorter : shorter / last * last;
    for (std::uint32_t at = 0, block = 0; at < result.compared; at += block_length(at), ++block) {
        const std::uint32_t difference = a.blocks[block] ^ b.blocks[block];
        if (difference == 0)
            continue;
        const std::uint32_t length = std::min(block_length(at), result.compared - at);
        const auto byte = differing_byte(difference, length);
        result.differs = true;
        result.at = at + byte.value_or(0);
        result.within = byte ? 1 : length;
        break;
    }
    return result;
}

} // namespace iscsiscope
