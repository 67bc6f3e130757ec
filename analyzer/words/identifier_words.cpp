// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/words/identifier_words.h"

#include "analyzer/figures/cycle_figures.h"
#include "analyzer/words/kind_words.h"

namespace iscsiscope {

std::string_view plain_words(std::string_view identifier) {
    constexpr std::string_view of_one_burst = "bursts.";
    if (identifier.starts_with(of_one_burst))
        identifier.remove_prefix(of_one_burst.size());
    for (std::size_t k = 0; k < gap_kind_count; ++k)
        if (name(static_cast<GapKind>(k)) == identifier)
            return explanation(static_cast<GapKind>(k));
    for (std::size_t f = 0; f < cycle_figure_count; ++f)
        if (name(static_cast<CycleFigure>(f)) == identifier)
            return explanation(static_cast<CycleFigure>(f));
    return {};
}

} // namespace iscsiscope
