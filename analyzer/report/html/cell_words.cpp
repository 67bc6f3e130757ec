// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/html/cell_words.h"

#include "analyzer/figures/tallies.h"
#include "analyzer/words/identifier_words.h"
#include "analyzer/words/kind_words.h"

#include <algorithm>

namespace iscsiscope::html {

std::string_view words_at_begin(std::string_view cell, std::size_t &length) {
    length = 0;
    bool joined = false;
    const auto part_of_name = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    };
    while (length < cell.size() && part_of_name(cell[length]))
        joined = cell[length++] == '_' || joined;
    if (!joined)
        return {};
    const std::string_view identifier = cell.substr(0, length);
    for (std::size_t o = 0; o < task_outcome_count; ++o)
        if (name(static_cast<TaskOutcome>(o)) == identifier)
            return outcome_words(static_cast<TaskOutcome>(o));
    return plain_words(identifier);
}

std::string_view time_at_begin(std::string_view cell, std::size_t &length) {
    length = std::min(cell.find(' '), cell.size());
    return plain_words(cell.substr(0, length));
}

} // namespace iscsiscope::html
