// SPDX-License-Identifier: GPL-2.0-or-later
// What is wrong with the arguments of the program, in a sentence that names what is near.
#pragma once

#include <string>
#include <string_view>

namespace CLI { // NOLINT(readability-identifier-naming): the library names it so
class App;
class ParseError;
} // namespace CLI

namespace iscsiscope::cli {

// Returns what is wrong with the first argument, where a command or an option is expected; empty if it is
// one.
std::string mistaken_command(const CLI::App &, std::string_view first);

struct ArgumentMistake {
    std::string command; // whose --help shows what it takes; empty: the program's
    std::string message;
};
// app: after parsing. error: what its parser refused.
ArgumentMistake mistake_in_arguments(const CLI::App &app, const CLI::ParseError &error);

} // namespace iscsiscope::cli
