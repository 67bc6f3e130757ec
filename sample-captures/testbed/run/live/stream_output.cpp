// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/live/stream_output.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace iscsiscope::testbed::run {
namespace {

constexpr std::chrono::seconds reader_within{30};
constexpr timespec look_again{0, 10'000'000};

Failure failed(const std::string &path) {
    return {fmt::format("opening {}: {}", path, std::strerror(errno))};
}

// Standard output may be shared with other programs, so its own mode is changed only where there is no other
// way: a pipe is opened anew instead.
Result<shim::FileDescriptor> open_standard_output() {
    struct stat kind {};
    if (::fstat(STDOUT_FILENO, &kind) != 0)
        return failed("standard output");
    if (::isatty(STDOUT_FILENO) != 0)
        return Failure{
            "the capture is binary: standard output must be a pipe or a file, not a terminal, as in\n"
            "  iscsiscope-testbed watch plain-read | wireshark -k -i -"};
    if (S_ISFIFO(kind.st_mode)) {
        shim::FileDescriptor pipe(::open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_CLOEXEC));
        if (pipe.valid() || errno == ENXIO) // ENXIO: the reader has gone already; the writer will notice
            return pipe.valid() ? std::move(pipe)
                                : shim::FileDescriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
    }
    shim::FileDescriptor copy(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
    if (!copy.valid())
        return failed("standard output");
    if (!S_ISREG(kind.st_mode))
        ::fcntl(copy.get(), F_SETFL, ::fcntl(copy.get(), F_GETFL) | O_NONBLOCK);
    return copy;
}

} // namespace

Result<shim::FileDescriptor> open_stream(const std::string &path, const sigset_t &stop) {
    if (path == "-")
        return open_standard_output();
    struct stat kind {};
    if (::stat(path.c_str(), &kind) != 0)
        return failed(path);
    if (S_ISREG(kind.st_mode) || S_ISDIR(kind.st_mode))
        return Failure{fmt::format("{} is not a FIFO (mkfifo makes one; `run` writes files)", path)};
    const auto given_up = std::chrono::steady_clock::now() + reader_within;
    while (true) {
        shim::FileDescriptor fifo(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
        if (fifo.valid())
            return fifo;
        if (errno != ENXIO && errno != EINTR)
            return failed(path);
        if (std::chrono::steady_clock::now() > given_up)
            return Failure{
                fmt::format("no program has opened {} for reading within {} s", path, reader_within.count())};
        if (::sigtimedwait(&stop, nullptr, &look_again) > 0)
            return shim::FileDescriptor();
    }
}

} // namespace iscsiscope::testbed::run
