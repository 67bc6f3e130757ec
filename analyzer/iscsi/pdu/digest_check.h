// SPDX-License-Identifier: GPL-2.0-or-later
// DigestCheck: one digest of a PDU. In: the bytes that it covers, then its own four, both in any number of
// parts. Out: whether it matches, and what it should be.
#pragma once

#include "analyzer/base/crc32c/crc32c.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace iscsiscope {

class DigestCheck {
public:
    void begin() { crc_ = 0; }
    void cover(std::span<const std::byte> bytes) { crc_ = crc32c(crc_, bytes); }
    // Bytes of the digest itself, from its byte number `at` on.
    void take(std::size_t at, std::span<const std::byte> bytes) {
        std::copy(bytes.begin(), bytes.end(), digest_.begin() + static_cast<std::ptrdiff_t>(at));
    }
    bool matches() const { return load_digest(digest_) == crc_; }
    std::uint32_t computed() const { return crc_; }

private:
    std::uint32_t crc_ = 0;
    std::array<std::byte, digest_size> digest_{};
};

} // namespace iscsiscope
