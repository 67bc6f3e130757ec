// SPDX-License-Identifier: GPL-2.0-or-later
// Hashes of what comes from the wire: SipHash (Aumasson and Bernstein, SipHash: a fast short-input PRF, 2012)
// with a key that is drawn anew by each process, so that nobody can make a capture whose values share the
// places of a table. No result may depend on the key: no such table is gone through in its own order.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace iscsiscope {

struct HashKey {
    std::uint64_t k0 = 0, k1 = 0;
};

// The key of this process. The environment's ISCSISCOPE_HASH_KEY (a number) fixes it, for tests.
extern const HashKey process_hash_key;

// SipHash of whole words (little endian), with so many rounds a word and at the end.
template <int each, int final, std::size_t words>
constexpr std::uint64_t siphash(const std::array<std::uint64_t, words> &message, HashKey key) {
    std::uint64_t v0 = key.k0 ^ 0x736f6d6570736575U, v1 = key.k1 ^ 0x646f72616e646f6dU,
                  v2 = key.k0 ^ 0x6c7967656e657261U, v3 = key.k1 ^ 0x7465646279746573U;
    const auto round = [&] {
        v0 += v1;
        v1 = std::rotl(v1, 13) ^ v0;
        v0 = std::rotl(v0, 32);
        v2 += v3;
        v3 = std::rotl(v3, 16) ^ v2;
        v0 += v3;
        v3 = std::rotl(v3, 21) ^ v0;
        v2 += v1;
        v1 = std::rotl(v1, 17) ^ v2;
        v2 = std::rotl(v2, 32);
    };
    const auto take = [&](std::uint64_t m) {
        v3 ^= m;
        for (int i = 0; i < each; ++i)
            round();
        v0 ^= m;
    };
    for (const std::uint64_t m : message)
        take(m);
    take(std::uint64_t{8 * words} << 56U);
    v2 ^= 0xff;
    for (int i = 0; i < final; ++i)
        round();
    return v0 ^ v1 ^ v2 ^ v3;
}

// SipHash-1-3, as hash tables of other languages have it, with the key of the process.
template <class... Words>
std::uint64_t keyed_hash(Words... words) {
    return siphash<1, 3>(std::array<std::uint64_t, sizeof...(Words)>{static_cast<std::uint64_t>(words)...},
                         process_hash_key);
}

// For tables whose keys are words, or texts.
struct KeyedWordHash {
    std::size_t operator()(std::uint64_t word) const noexcept { return keyed_hash(word); }
};
struct KeyedTextHash {
    std::size_t operator()(std::string_view) const noexcept;
};

} // namespace iscsiscope
