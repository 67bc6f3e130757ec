// SPDX-License-Identifier: GPL-2.0-or-later
// CycleFigure: the times of a cycle whose distributions reports show, in the order of the reports.
#pragma once

#include "analyzer/cycles/records/records.h"

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

// The figures that partition the cycle time (docs/figures.md, "Phases"), in order of first occurrence.
inline constexpr std::array phase_figures = {
    CycleFigure::command,     CycleFigure::first_data_wait, CycleFigure::data,
    CycleFigure::unsolicited, CycleFigure::r2t_wait,        CycleFigure::burst_response,
    CycleFigure::burst_data,  CycleFigure::status_wait,     CycleFigure::next_command_wait,
};

constexpr std::size_t index(CycleFigure f) {
    return static_cast<std::size_t>(f);
}

// Returns the name of the column of `cycles`, without _ns.
std::string_view name(CycleFigure);
// Returns the glossary's clause: what happens, or is awaited, during that time.
std::string_view explanation(CycleFigure);
// Returns the time of the idle gaps inside a cycle over its cycle time; empty if either is not known.
std::optional<double> idle_ratio(const CycleRecord &);
// Returns the figure of a cycle; empty if it is not known, or is a phase that this type of task does not
// have. Inline, so that the compiler resolves the switch for a constant figure.
inline std::optional<Duration> figure(const CycleRecord &r, CycleFigure f) {
    const auto phase = [&r](Duration Phases::*member, bool had) {
        return r.has_phases && had ? std::optional(r.phases.*member) : std::nullopt;
    };
    const bool may_read = r.type != TaskType::write, may_write = r.type != TaskType::read;
    switch (f) {
    case CycleFigure::response_time:
        return r.response_time;
    case CycleFigure::cycle_time:
        return r.cycle_time;
    case CycleFigure::command:
        return phase(&Phases::command, true);
    case CycleFigure::first_data_wait:
        return phase(&Phases::first_data_wait, may_read);
    case CycleFigure::data:
        return phase(&Phases::data, may_read);
    case CycleFigure::unsolicited:
        return phase(&Phases::unsolicited, may_write);
    case CycleFigure::r2t_wait:
        return phase(&Phases::r2t_wait, may_write);
    case CycleFigure::burst_response:
        return phase(&Phases::burst_response, may_write);
    case CycleFigure::burst_data:
        return phase(&Phases::burst_data, may_write);
    case CycleFigure::status_wait:
        return phase(&Phases::status_wait, true);
    case CycleFigure::next_command_wait:
        return r.has_phases ? r.next_command_wait : std::nullopt;
    case CycleFigure::target_service:
        return r.target_service;
    case CycleFigure::idle:
        return r.idle;
    }
    return std::nullopt;
}

} // namespace iscsiscope
