// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/cycle_figures.h"

namespace iscsiscope {
namespace {

struct Words {
    std::string_view name, explanation;
};

constexpr Words words[cycle_figure_count] = {
    {"response_time", "command seen to status delivered"},
    {"cycle_time", "command to next command"},
    {"command", "the command itself under way"},
    {"first_data_wait", "waiting for the first Data-In"},
    {"data", "Data-In under way"},
    {"unsolicited", "immediate and unsolicited data under way"},
    {"r2t_wait", "waiting for an R2T"},
    {"burst_response", "R2T there, its data not begun"},
    {"burst_data", "solicited data under way"},
    {"status_wait", "waiting for the status"},
    {"next_command_wait", "no task open, next command not sent"},
    {"target_service", "target at work, network taken off"},
    {"idle", "idle gaps inside the cycle"},
};

std::optional<Duration> phase(const CycleRecord &r, Duration Phases::*member, TaskType not_of) {
    return r.has_phases && r.type != not_of ? std::optional(r.phases.*member) : std::nullopt;
}

} // namespace

std::string_view name(CycleFigure f) {
    return words[index(f)].name;
}

std::string_view explanation(CycleFigure f) {
    return words[index(f)].explanation;
}

std::optional<Duration> figure(const CycleRecord &r, CycleFigure f) {
    const auto any = [&](Duration Phases::*m) {
        return r.has_phases ? std::optional(r.phases.*m) : std::nullopt;
    };
    switch (f) {
    case CycleFigure::response_time:
        return r.response_time;
    case CycleFigure::cycle_time:
        return r.cycle_time;
    case CycleFigure::command:
        return any(&Phases::command);
    case CycleFigure::first_data_wait:
        return phase(r, &Phases::first_data_wait, TaskType::write);
    case CycleFigure::data:
        return phase(r, &Phases::data, TaskType::write);
    case CycleFigure::unsolicited:
        return phase(r, &Phases::unsolicited, TaskType::read);
    case CycleFigure::r2t_wait:
        return phase(r, &Phases::r2t_wait, TaskType::read);
    case CycleFigure::burst_response:
        return phase(r, &Phases::burst_response, TaskType::read);
    case CycleFigure::burst_data:
        return phase(r, &Phases::burst_data, TaskType::read);
    case CycleFigure::status_wait:
        return any(&Phases::status_wait);
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
