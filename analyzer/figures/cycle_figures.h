// SPDX-License-Identifier: GPL-2.0-or-later
// CycleFigure: the times of a cycle whose distributions reports show, in the order of the reports.
#pragma once

#include "analyzer/base/enum_list.h"
#include "analyzer/cycles/records/records.h"

#include <array>
#include <optional>
#include <string_view>

namespace iscsiscope {

// Each figure by the name of its column of `cycles`, without _ns, and its value of the cycle `r`.
#define ISCSISCOPE_CYCLE_FIGURES(X)                                                                          \
    X(response_time, r.response_time)                                                                        \
    X(cycle_time, r.cycle_time)                                                                              \
    X(command, phase(&Phases::command, true))                                                                \
    X(first_data_wait, phase(&Phases::first_data_wait, may_read))                                            \
    X(data, phase(&Phases::data, may_read))                                                                  \
    X(unsolicited, phase(&Phases::unsolicited, may_write))                                                   \
    X(r2t_wait, phase(&Phases::r2t_wait, may_write))                                                         \
    X(burst_response, phase(&Phases::burst_response, may_write))                                             \
    X(burst_data, phase(&Phases::burst_data, may_write))                                                     \
    X(status_wait, phase(&Phases::status_wait, true))                                                        \
    X(next_command_wait, r.has_phases ? r.next_command_wait : std::nullopt)                                  \
    X(target_service, r.target_service)                                                                      \
    X(idle, r.idle)
ISCSISCOPE_ENUM(CycleFigure, cycle_figure_names, cycle_figure_count, ISCSISCOPE_CYCLE_FIGURES)

// The figures that partition the cycle time (docs/figures.md, "Phases"), in order of first occurrence.
inline constexpr std::array phase_figures = {
    CycleFigure::command,     CycleFigure::first_data_wait, CycleFigure::data,
    CycleFigure::unsolicited, CycleFigure::r2t_wait,        CycleFigure::burst_response,
    CycleFigure::burst_data,  CycleFigure::status_wait,     CycleFigure::next_command_wait,
};

constexpr std::size_t index(CycleFigure f) {
    return static_cast<std::size_t>(f);
}

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
#define ISCSISCOPE_CASE(value, known)                                                                        \
    case CycleFigure::value:                                                                                 \
        return known;
    switch (f) { ISCSISCOPE_CYCLE_FIGURES(ISCSISCOPE_CASE) }
#undef ISCSISCOPE_CASE
    return std::nullopt;
}

} // namespace iscsiscope
