// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/figures/cycle_figures.h"

#include "analyzer/base/glossary/glossary.h"
#include "analyzer/base/ratio.h"
#include <string>

namespace iscsiscope {
namespace {

constexpr std::string_view names[cycle_figure_count] = {
    "response_time",     "cycle_time",     "command",        "first_data_wait", "data",
    "unsolicited",       "r2t_wait",       "burst_response", "burst_data",      "status_wait",
    "next_command_wait", "target_service", "idle",
};

} // namespace

std::string_view name(CycleFigure f) {
    return names[index(f)];
}

std::string_view explanation(CycleFigure f) {
    return clause_of("phase." + std::string(name(f)));
}

std::optional<double> idle_ratio(const CycleRecord &r) {
    return r.idle && r.cycle_time ? quotient(*r.idle, *r.cycle_time) : std::nullopt;
}

} // namespace iscsiscope
