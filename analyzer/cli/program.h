// SPDX-License-Identifier: GPL-2.0-or-later
// What the sub-commands share.
#pragma once

#include "analyzer/report/output_file.h"

#include <functional>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace iscsiscope::cli {

inline constexpr int exit_done = 0;
inline constexpr int exit_condition = 1; // --fail-on holds, or --strict and something was wrong
inline constexpr int exit_error = 2;     // usage, unreadable input, output that could not be written

struct Program {
    UnfinishedFiles unfinished;
    std::function<int()> run; // set by the sub-command that was chosen
};

// "iscsiscope: MESSAGE" to standard error.
void complain(std::string_view message);
// The same, then the way to the help; gives exit_error.
int usage_error(std::string_view command, std::string_view message);
bool is_terminal(int fd);

// Each adds its sub-command to the application.
void add_report_command(CLI::App &, Program &);
void add_compare_command(CLI::App &, Program &);
void add_predict_command(CLI::App &, Program &);
void add_row_commands(CLI::App &, Program &); // pdus, cycles, bursts, gaps, connections, tcp

} // namespace iscsiscope::cli
