// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/text/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace iscsiscope {
namespace {

unsigned byte_at(std::string_view s, std::size_t i) {
    return static_cast<unsigned char>(s[i]);
}

// Returns how many bytes a sequence with this first byte has; 0 if none begins with it.
std::size_t length_by_lead(unsigned lead) {
    return lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
}

// The second byte excludes overlong forms, surrogates and values above U+10FFFF (RFC 3629 section 4).
bool fits_lead(unsigned lead, unsigned second) {
    const unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    return second >= low && second <= high;
}

// Control characters (C0, DEL, C1), separators of lines and paragraphs, and marks that turn the direction of
// what follows them.
bool is_control(std::string_view sequence) {
    const unsigned first = byte_at(sequence, 0);
    if (sequence.size() == 1)
        return first < 0x20 || first == 0x7f;
    const unsigned second = byte_at(sequence, 1);
    if (sequence.size() == 2)
        return (first == 0xc2 && second < 0xa0) || (first == 0xd8 && second == 0x9c); // U+061C
    if (sequence.size() != 3 || first != 0xe2)
        return false;
    const unsigned third = byte_at(sequence, 2);
    if (second == 0x80) // U+200E, U+200F, U+2028 to U+202E
        return third == 0x8e || third == 0x8f || (third >= 0xa8 && third <= 0xae);
    return second == 0x81 && third >= 0xa6 && third <= 0xa9; // U+2066 to U+2069
}

template <class Shown>
std::string with_escapes(std::string_view s, Shown shown) {
    std::string out;
    out.reserve(s.size());
    while (!s.empty()) {
        const std::size_t n = utf8_sequence(s);
        const std::size_t taken = std::max<std::size_t>(n, 1);
        if (n != 0 && shown(s.substr(0, n))) {
            out.append(s.substr(0, n));
        } else {
            for (const char c : s.substr(0, taken)) {
                const auto escape = escaped_byte(c);
                out.append(escape.data(), escape.size());
            }
        }
        s.remove_prefix(taken);
    }
    return out;
}

} // namespace

std::size_t utf8_sequence(std::string_view s) {
    const unsigned lead = byte_at(s, 0);
    const std::size_t n = length_by_lead(lead);
    if (n <= 1)
        return n;
    if (n > s.size() || !fits_lead(lead, byte_at(s, 1)))
        return 0;
    for (std::size_t i = 2; i < n; ++i)
        if ((byte_at(s, i) & 0xc0) != 0x80)
            return 0;
    return n;
}

bool is_utf8(std::string_view s) {
    while (!s.empty()) {
        if (std::uint64_t eight = 0; s.size() >= sizeof eight) { // most texts are ASCII
            std::memcpy(&eight, s.data(), sizeof eight);
            if ((eight & 0x8080808080808080U) == 0) {
                s.remove_prefix(sizeof eight);
                continue;
            }
        }
        const std::size_t n = utf8_sequence(s);
        if (n == 0)
            return false;
        s.remove_prefix(n);
    }
    return true;
}

std::array<char, 4> escaped_byte(char c) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto v = static_cast<unsigned char>(c);
    return {'\\', 'x', digits[v >> 4U], digits[v & 15U]};
}

std::string utf8_text(std::string_view s) {
    return is_utf8(s) ? std::string(s)
                      : with_escapes(
                            s, [](std::string_view) { return true; });
}

std::string printable_text(std::string_view s) {
    return with_escapes(
        s, [](std::string_view sequence) { return !is_control(sequence); });
}

std::string_view utf8_prefix(std::string_view s, std::size_t bytes) {
    if (s.size() <= bytes)
        return s;
    for (std::size_t back = 1; back <= std::min<std::size_t>(bytes, 3); ++back) {
        const std::size_t n = utf8_sequence(s.substr(bytes - back));
        if (n > back)
            return s.substr(0, bytes - back);
    }
    return s.substr(0, bytes);
}

} // namespace iscsiscope
