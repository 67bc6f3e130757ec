// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cli/program.h"

#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace iscsiscope::cli {

void complain(std::string_view message) {
    std::string line = fmt::format("iscsiscope: {}\n", message);
    for (char &c : line) // a file name must not contain control sequences for the terminal
        c = c != '\n' && (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) ? '?' : c;
    std::fwrite(line.data(), 1, line.size(), stderr);
}

int usage_error(std::string_view command, std::string_view message) {
    complain(message);
    const std::string line = fmt::format("`iscsiscope {} --help` shows what it takes.\n", command);
    std::fwrite(line.data(), 1, line.size(), stderr);
    return exit_error;
}

bool is_terminal(int fd) {
    return ::isatty(fd) == 1;
}

} // namespace iscsiscope::cli
