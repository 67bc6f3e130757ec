// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/figures/cycle_figures.h"

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

} // namespace

std::string_view name(CycleFigure f) {
    return words[index(f)].name;
}

std::string_view explanation(CycleFigure f) {
    return words[index(f)].explanation;
}

} // namespace iscsiscope
