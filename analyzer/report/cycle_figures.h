// SPDX-License-Identifier: GPL-2.0-or-later
// The times of a cycle whose distribution reports show, in the order in which they show them.
#pragma once

#include "analyzer/cycles/records.h"

#include <array>
#include <optional>
#include <string_view>

namespace iscsiscope {

enum class CycleFigure : std::uint8_t {
    response_time,
    cycle_time,
    command,
    first_data_wait,
    data,
    unsolicited,
    r2t_wait,
    burst_response,
    burst_data,
    status_wait,
    next_command_wait,
    target_service,
    idle,
};
inline constexpr std::size_t cycle_figure_count = static_cast<std::size_t>(CycleFigure::idle) + 1;

// Those that partition the cycle time (definitions.md, "Phases"), in order of their first turn.
inline constexpr std::array phase_figures = {
    CycleFigure::command,     CycleFigure::first_data_wait, CycleFigure::data,
    CycleFigure::unsolicited, CycleFigure::r2t_wait,        CycleFigure::burst_response,
    CycleFigure::burst_data,  CycleFigure::status_wait,     CycleFigure::next_command_wait,
};

constexpr std::size_t index(CycleFigure f) {
    return static_cast<std::size_t>(f);
}

// As the columns of `cycles`, without _ns.
std::string_view name(CycleFigure);
// In the user's words: what is waited for or done.
std::string_view explanation(CycleFigure);
// Empty: not known, or a phase that this type of task does not have.
std::optional<Duration> figure(const CycleRecord &, CycleFigure);

} // namespace iscsiscope
