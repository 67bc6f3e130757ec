// SPDX-License-Identifier: GPL-2.0-or-later
// CodeWords: tables of the codes of a protocol with their words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace iscsiscope {

struct CodeWords {
    std::uint32_t code;
    std::string_view words;
};

// Returns the words of the code; empty if the table does not have it.
template <std::size_t N>
constexpr std::string_view look_up(const CodeWords (&table)[N], std::uint32_t code) {
    for (const CodeWords &w : table)
        if (w.code == code)
            return w.words;
    return {};
}

} // namespace iscsiscope
