// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/guest/first_process.h"

#include "sample-captures/testbed/run/run_scenario.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace iscsiscope::testbed::run {
namespace {

std::string in_share(const char *name) {
    return fmt::format("{}/{}", guest_share, name);
}

bool mounted(const char *kind, const char *folder, const char *data = nullptr) {
    if (::mount(kind, folder, kind, 0, data) == 0 || errno == EBUSY)
        return true;
    std::printf("mounting %s on %s: %s\n", kind, folder, std::strerror(errno));
    return false;
}

// The root is the host's, read-only; what has to be the guest's own is laid over it. The host's folder of
// this run is the current one of the kernel's process: so the kernel's parameters are alike in every run.
bool mount_all() {
    bool good = mounted("proc", "/proc") && mounted("sysfs", "/sys") && mounted("devtmpfs", "/dev");
    good = good && mounted("tmpfs", "/run");
    ::mkdir("/dev/shm", 01777);
    ::mkdir(guest_share, 0755);
    return good && mounted("tmpfs", "/dev/shm") && mounted("hostfs", guest_share, "/proc/self/cwd");
}

std::vector<std::string> read_arguments() {
    std::ifstream file(in_share(guest_arguments), std::ios::binary);
    std::vector<std::string> arguments;
    for (std::string one; std::getline(file, one, '\0');)
        arguments.push_back(one);
    return arguments;
}

int redirect_and_call(const std::function<int(std::vector<std::string>)> &program) {
    constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND;
    const int output = ::open(in_share(guest_output).c_str(), flags, 0644);
    const int errors = ::open(in_share(guest_errors).c_str(), flags, 0644);
    if (output < 0 || errors < 0 || ::dup2(output, STDOUT_FILENO) < 0 || ::dup2(errors, STDERR_FILENO) < 0)
        return exit_error;
    ::close(output);
    ::close(errors);
    const int code = program(read_arguments());
    std::fflush(nullptr);
    return code;
}

} // namespace

int first_process(const std::function<int(std::vector<std::string>)> &program) {
    if (::getpid() != 1) {
        std::fprintf(
            stderr, "iscsiscope-testbed: guest is what the program does as the first process of a guest that "
                    "`run --virtual` boots\n");
        return exit_error;
    }
    if (mount_all()) {
        // Booting takes no virtual time, and the kernel's timers become exact with the clock's first tick.
        const timespec some_ticks{0, 10'000'000};
        ::nanosleep(&some_ticks, nullptr);
        const pid_t child = ::fork();
        if (child == 0)
            ::_exit(redirect_and_call(program));
        int status = 0;
        for (pid_t ended = 0;
             child > 0 && ended != child;) // others: orphans, which the first process inherits
            ended = ::wait(&status);
        timespec now{};
        ::clock_gettime(CLOCK_BOOTTIME, &now);
        std::ofstream(in_share(guest_result))
            << fmt::format("{} {}\n", WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(exit_error),
                           std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec);
    }
    std::fflush(nullptr);
    ::sync();
    ::reboot(RB_POWER_OFF);
    return exit_error;
}

} // namespace iscsiscope::testbed::run
