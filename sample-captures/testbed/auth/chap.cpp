// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/auth/chap.h"

#include <nettle/base64.h>
#include <nettle/md5.h>

#include <sys/random.h>

namespace iscsiscope::testbed {

namespace {

int hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

std::optional<std::vector<std::uint8_t>> decode_hex(std::string_view digits) {
    if (digits.empty() || digits.size() > 2 * chap_binary_limit)
        return std::nullopt;
    std::vector<std::uint8_t> bytes;
    bytes.reserve(digits.size() / 2 + 1);
    // An odd count means a leading zero digit was left out.
    std::size_t at = 0;
    if (digits.size() % 2 == 1) {
        const int low = hex_digit(digits[at++]);
        if (low < 0)
            return std::nullopt;
        bytes.push_back(static_cast<std::uint8_t>(low));
    }
    for (; at < digits.size(); at += 2) {
        const int high = hex_digit(digits[at]);
        const int low = hex_digit(digits[at + 1]);
        if (high < 0 || low < 0)
            return std::nullopt;
        bytes.push_back(static_cast<std::uint8_t>(high * 16 + low));
    }
    return bytes;
}

std::optional<std::vector<std::uint8_t>> decode_base64(std::string_view text) {
    if (text.empty() || text.size() > 2 * chap_binary_limit)
        return std::nullopt;
    base64_decode_ctx context;
    base64_decode_init(&context);
    std::vector<std::uint8_t> bytes(BASE64_DECODE_LENGTH(text.size()));
    std::size_t length = bytes.size();
    if (base64_decode_update(&context, &length, bytes.data(), text.size(), text.data()) == 0 ||
        base64_decode_final(&context) == 0)
        return std::nullopt;
    bytes.resize(length);
    if (bytes.size() > chap_binary_limit)
        return std::nullopt;
    return bytes;
}

} // namespace

ChapDigest chap_md5(std::uint8_t identifier, std::string_view secret,
                    std::span<const std::uint8_t> challenge) {
    md5_ctx context;
    md5_init(&context);
    md5_update(&context, 1, &identifier);
    md5_update(&context, secret.size(), reinterpret_cast<const std::uint8_t *>(secret.data()));
    md5_update(&context, challenge.size(), challenge.data());
    ChapDigest digest{};
    md5_digest(&context, digest.size(), digest.data());
    return digest;
}

bool same_digest(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
    if (a.size() != b.size())
        return false;
    unsigned difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        difference |= static_cast<unsigned>(a[i] ^ b[i]);
    return difference == 0;
}

std::optional<ChapChallenge> fresh_chap_challenge() {
    std::array<std::uint8_t, 17> random{};
    if (getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size()))
        return std::nullopt;
    return ChapChallenge{random[0], {random.begin() + 1, random.end()}};
}

std::optional<std::vector<std::uint8_t>> decode_binary_value(std::string_view text) {
    if (text.size() < 2 || text[0] != '0')
        return std::nullopt;
    const std::string_view digits = text.substr(2);
    if (text[1] == 'x' || text[1] == 'X')
        return decode_hex(digits);
    if (text[1] == 'b' || text[1] == 'B')
        return decode_base64(digits);
    return std::nullopt;
}

std::string encode_binary_value(std::span<const std::uint8_t> bytes) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text = "0x";
    text.reserve(2 + 2 * bytes.size());
    for (const std::uint8_t byte : bytes) {
        text.push_back(digits[byte >> 4]);
        text.push_back(digits[byte & 15]);
    }
    return text;
}

} // namespace iscsiscope::testbed
