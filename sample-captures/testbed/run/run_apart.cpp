// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/run_scenario.h"

#include "analyzer/base/process/guarded.h"
#include "sample-captures/testbed/run/run_signals.h"

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace iscsiscope::testbed::run {
namespace {

void stand_apart() {
    ::setsid();
    // The group's own nice value; refused without privilege, absent on kernels without autogroups.
    if (const int file = ::open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC); file >= 0) {
        (void)!::write(file, "-20", 3);
        ::close(file);
    }
}

} // namespace

int run_apart(const std::function<int()> &run) {
    std::fflush(nullptr);
    const sigset_t signals = run_signals();
    sigset_t before;
    ::sigprocmask(SIG_BLOCK, &signals, &before);
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        stand_apart();
        const int code = guarded("iscsiscope-testbed", exit_error,
                                 [&] { return ::getppid() == parent ? run() : exit_interrupted; });
        std::fflush(nullptr);
        ::_exit(code);
    }
    int status = 0;
    while (pid > 0 && ::waitpid(pid, &status, WNOHANG) != pid) {
        siginfo_t info{};
        const int number = ::sigwaitinfo(&signals, &info);
        if (number > 0 && number != SIGCHLD)
            ::kill(pid, number);
    }
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    if (pid < 0) {
        std::fprintf(stderr, "iscsiscope-testbed: no process can be started\n");
        return exit_error;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : exit_interrupted;
}

int run_apart(const scenario::Scenario &scenario, const RunOptions &options) {
    return run_apart([&] { return run_scenario(scenario, options); });
}

} // namespace iscsiscope::testbed::run
