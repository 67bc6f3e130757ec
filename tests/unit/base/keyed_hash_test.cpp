// SPDX-License-Identifier: GPL-2.0-or-later
// SipHash against its authors' vectors, and keys that move values to other places.
#include "catch.h"

#include "analyzer/base/containers/keyed_hash.h"

#include <string>

namespace iscsiscope {

TEST_CASE("SipHash-2-4 gives the vectors of its reference implementation") {
    // Key 00 01 … 0f; messages of 0, 8 and 16 bytes 00 01 …
    constexpr HashKey key{0x0706050403020100U, 0x0f0e0d0c0b0a0908U};
    constexpr std::uint64_t first = 0x0706050403020100U, second = 0x0f0e0d0c0b0a0908U;
    CHECK(siphash<2, 4>(std::array<std::uint64_t, 0>{}, key) == 0x726fdb47dd0e0e31U);
    CHECK(siphash<2, 4>(std::array{first}, key) == 0x93f5f5799a932462U);
    CHECK(siphash<2, 4>(std::array{first, second}, key) == 0x3f2acc7f57c29bdbU);
}

TEST_CASE("another key gives another hash, the same key the same") {
    const std::array<std::uint64_t, 2> message{1, 2};
    CHECK(siphash<1, 3>(message, {1, 2}) == siphash<1, 3>(message, {1, 2}));
    CHECK(siphash<1, 3>(message, {1, 2}) != siphash<1, 3>(message, {1, 3}));
    CHECK(keyed_hash(1, 2) != keyed_hash(2, 1));
    const KeyedTextHash hash;
    CHECK(hash("iqn.a") == hash(std::string("iqn.a")));
    CHECK(hash("") != hash(std::string(1, '\0')));
    CHECK(hash("12345678") != hash("123456781"));
}

} // namespace iscsiscope
