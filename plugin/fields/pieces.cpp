// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/fields/pieces.h"

#include <cstddef>

namespace iscsiscope::plugin {
namespace {

constexpr std::size_t longest = 200; // leaves room for the field's name

bool begins_sentence(char c) {
    return c >= 'A' && c <= 'Z';
}

// Returns where the next piece of the text ends: at a space, or at the text's end.
std::size_t end_of_piece(std::string_view text) {
    std::size_t last_space = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (i > longest && last_space > 0)
            return last_space;
        if (text[i] != ' ')
            continue;
        if (i > 0 && (text[i - 1] == '.' || text[i - 1] == ':') && i + 1 < text.size() &&
            begins_sentence(text[i + 1]))
            return i;
        last_space = i;
    }
    return text.size() > longest && last_space > 0 ? last_space : text.size();
}

} // namespace

std::vector<std::string_view> pieces(std::string_view text) {
    std::vector<std::string_view> all;
    while (!text.empty()) {
        const std::size_t end = end_of_piece(text);
        all.push_back(text.substr(0, end));
        text.remove_prefix(end < text.size() ? end + 1 : end);
    }
    return all;
}

} // namespace iscsiscope::plugin
