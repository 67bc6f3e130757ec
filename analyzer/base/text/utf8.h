// SPDX-License-Identifier: GPL-2.0-or-later
// UTF-8 (RFC 3629). Names from the wire and of files are bytes until they are shown to be UTF-8: every output
// passes them through these functions, so that what is written is valid UTF-8 whatever the capture holds. A
// byte that belongs to no well-formed sequence is shown as \xHH, with two upper-case digits, in all formats.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace iscsiscope {

// Returns the length of the well-formed UTF-8 sequence at the front of a non-empty text; 0 if there is none.
// Not well-formed are overlong forms, surrogates (U+D800 to U+DFFF), values above U+10FFFF and cut sequences.
std::size_t utf8_sequence(std::string_view);
bool is_utf8(std::string_view);

// Returns "\xHH" of a byte: the one form in which bytes are shown that are no text.
std::array<char, 4> escaped_byte(char);
// Returns the text with the bytes escaped that are not UTF-8.
std::string utf8_text(std::string_view);
// The same, with control characters escaped too, those that end a line or turn its direction included: the
// text stays on one line and cannot control a terminal.
std::string printable_text(std::string_view);
// Returns the longest prefix of at most so many bytes that does not end inside a well-formed sequence.
std::string_view utf8_prefix(std::string_view, std::size_t bytes);

} // namespace iscsiscope
