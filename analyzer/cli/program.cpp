// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cli/program.h"

#include "analyzer/base/utf8.h"

#include <cerrno>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <stdexcept>
#include <unistd.h>
#include <utility>

namespace iscsiscope::cli {

void complain(std::string_view message) {
    const std::string whole = fmt::format("iscsiscope: {}\n", message);
    // A file name must not contain control sequences for the terminal; the message itself may have lines.
    std::string line;
    for (std::size_t from = 0; from < whole.size();) {
        const std::size_t end = whole.find('\n', from);
        line += printable_text(std::string_view(whole).substr(from, end - from)) + '\n';
        from = end + 1;
    }
    std::fwrite(line.data(), 1, line.size(), stderr);
}

void keep_standard_streams() {
    // open() returns the lowest free number, which is that of the stream.
    for (const auto &[descriptor, flags] :
         {std::pair{STDIN_FILENO, O_WRONLY}, std::pair{STDOUT_FILENO, O_RDONLY},
          std::pair{STDERR_FILENO, O_WRONLY}})
        if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
            (void)::open("/dev/null", flags);
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

std::string failure_sentence(std::string_view what) {
    std::string why = "an unknown error";
    try {
        throw;
    } catch (const std::bad_alloc &) {
        why = "there is not enough memory";
    } catch (const std::length_error &) {
        why = "there is not enough memory";
    } catch (const std::exception &e) {
        why = e.what();
    } catch (...) { // NOLINT(bugprone-empty-catch): `why` says so
    }
    return fmt::format("{} failed: {}", what, why);
}

} // namespace iscsiscope::cli
