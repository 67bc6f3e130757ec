// SPDX-License-Identifier: GPL-2.0-or-later
// CHAP with MD5 as iSCSI uses it (RFC 7143 section 12.1.3, RFC 1994): the same arithmetic at both ends.
// Nothing here keeps state or throws; text comes from a peer and is checked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope::testbed {

// CHAP_A value of MD5 (RFC 7143 section 12.1.3).
inline constexpr unsigned chap_md5_algorithm = 5;
// The longest challenge or response a peer may send (RFC 7143 section 12.1.3: 1024 bytes).
inline constexpr std::size_t chap_binary_limit = 1024;

using ChapDigest = std::array<std::uint8_t, 16>;

struct ChapChallenge {
    std::uint8_t identifier = 0;         // CHAP_I
    std::vector<std::uint8_t> challenge; // CHAP_C, decoded
};

// The digest to send as CHAP_R: MD5(identifier, secret, challenge) (RFC 1994 section 4.1).
ChapDigest chap_md5(std::uint8_t identifier, std::string_view secret,
                    std::span<const std::uint8_t> challenge);

// Compares in a time that does not depend on where the two differ.
bool same_digest(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b);

// A fresh random challenge of 16 bytes; empty if the system gives no random bytes.
std::optional<ChapChallenge> fresh_chap_challenge();

// A binary value of a key: "0x…" hexadecimal or "0b…" base64 (RFC 7143 section 6.1); nothing if it is
// neither, is malformed or longer than chap_binary_limit.
std::optional<std::vector<std::uint8_t>> decode_binary_value(std::string_view text);
// The same as "0x…".
std::string encode_binary_value(std::span<const std::uint8_t> bytes);

} // namespace iscsiscope::testbed
