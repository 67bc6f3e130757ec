// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cli/program.h"

#include "analyzer/base/process/guarded.h"
#include "analyzer/base/text/utf8.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace iscsiscope::cli {

void complain(std::string_view message) {
    // A file name must neither control the terminal nor look like another message.
    const std::string line = fmt::format("iscsiscope: {}\n", printable_text(message));
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
    std::string words = "iscsiscope: ";
    for (std::size_t from = 0; from <= message.size();) { // it may show where in an expression the mistake is
        const std::size_t end = std::min(message.find('\n', from), message.size());
        words += printable_text(message.substr(from, end - from)) + '\n';
        from = end + 1;
    }
    words += command.empty() ? "`iscsiscope --help` lists the commands.\n"
                             : fmt::format("`iscsiscope {} --help` shows what it takes.\n", command);
    std::fwrite(words.data(), 1, words.size(), stderr);
    return exit_error;
}

int commit(OutputFile &out) {
    if (out.commit() || out.reader_gone())
        return exit_done;
    complain(out.error());
    return exit_error;
}

bool is_terminal(int fd) {
    return ::isatty(fd) == 1;
}

std::string failure_sentence(std::string_view what) {
    return fmt::format("{} failed: {}", what, reason_of_exception());
}

} // namespace iscsiscope::cli
