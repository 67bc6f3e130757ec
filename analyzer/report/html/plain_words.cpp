// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/html/plain_words.h"

#include "analyzer/figures/cycle_figures.h"
#include "analyzer/figures/tallies.h"
#include "analyzer/report/wording.h"

namespace iscsiscope::html {

std::string_view plain_words(std::string_view identifier) {
    for (std::size_t k = 0; k < gap_kind_count; ++k)
        if (name(static_cast<GapKind>(k)) == identifier)
            return explanation(static_cast<GapKind>(k));
    for (std::size_t f = 0; f < cycle_figure_count; ++f)
        if (name(static_cast<CycleFigure>(f)) == identifier)
            return explanation(static_cast<CycleFigure>(f));
    return {};
}

std::string_view words_at_begin(std::string_view cell, std::size_t &length) {
    length = 0;
    bool joined = false;
    while (length < cell.size() && ((cell[length] >= 'a' && cell[length] <= 'z') || cell[length] == '_'))
        joined = cell[length++] == '_' || joined;
    if (!joined)
        return {};
    const std::string_view identifier = cell.substr(0, length);
    for (std::size_t o = 0; o < task_outcome_count; ++o)
        if (name(static_cast<TaskOutcome>(o)) == identifier)
            return outcome_words(static_cast<TaskOutcome>(o));
    return plain_words(identifier);
}

} // namespace iscsiscope::html
