// SPDX-License-Identifier: GPL-2.0-or-later
// Shared by the sub-commands: exit codes, messages on standard error, and their registration.
#pragma once

#include "analyzer/report/output_file.h"

#include <exception>
#include <functional>
#include <string>
#include <string_view>

namespace CLI { // NOLINT(readability-identifier-naming): the library names it so
class App;
}

namespace iscsiscope::cli {

inline constexpr int exit_done = 0;
inline constexpr int exit_condition =
    1;                               // --fail-on holds, or --strict and a capture is incomplete or damaged
inline constexpr int exit_error = 2; // usage, unreadable input, output that could not be written

struct Program {
    UnfinishedFiles unfinished;
    std::function<int()> run; // set by the chosen sub-command; returns the exit code
};

// Writes "iscsiscope: MESSAGE" to standard error.
void complain(std::string_view message);
// The same, followed by a reference to the --help of the command, or of the program if it is empty. Returns
// exit_error.
int usage_error(std::string_view command, std::string_view message);
// Calls make() and complains with the text that it returns, if there is one. For remarks after a complete
// output: one that memory does not suffice for is left out, since what was written is right without it.
template <class Make>
void remark_if_possible(Make make) {
    try {
        if (const std::string words = make(); !words.empty())
            complain(words);
    } catch (const std::exception &) { // nothing is lost but the remark
    }
}
// Completes the output. Returns exit_done, also if the reader of standard output has closed it (| head), and
// exit_error after a message if it cannot be written.
int commit(OutputFile &);
bool is_terminal(int fd);
// For a catch block: returns "WHAT failed: WHY" of the exception in flight, for complain(). The engine takes
// bad input for data and throws only when memory runs out or by a mistake of its own.
std::string failure_sentence(std::string_view what);
// Opens /dev/null in the place of a standard stream that is closed, so that no file of the program gets its
// number; reading from such an input and writing to such an output fail.
void keep_standard_streams();

// Each function adds its sub-commands. Both arguments must outlive the parsing and Program::run.
void add_report_command(CLI::App &, Program &);
void add_compare_command(CLI::App &, Program &);
void add_predict_command(CLI::App &, Program &);
void add_explain_command(CLI::App &, Program &);
void add_columns_command(CLI::App &, Program &);
void add_row_commands(CLI::App &, Program &); // pdus, cycles, bursts, gaps, ledger, connections, tcp

} // namespace iscsiscope::cli
