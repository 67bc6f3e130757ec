// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/figures/cycle_figures.h"

#include "analyzer/base/glossary/glossary.h"
#include "analyzer/base/ratio.h"
#include <string>

namespace iscsiscope {

std::string_view explanation(CycleFigure f) {
    return clause_of("phase." + std::string(name(f)));
}

std::optional<double> idle_ratio(const CycleRecord &r) {
    return r.idle && r.cycle_time ? quotient(*r.idle, *r.cycle_time) : std::nullopt;
}

} // namespace iscsiscope
