// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/child.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace iscsiscope::testbed::run {
namespace {

constexpr std::size_t max_output = std::size_t{1} << 20U; // kept of one program
constexpr int could_not_start = 127;

// Between fork and exec, in a process that has threads: only system calls.
[[noreturn]] void become(const char *const *argv, int space, int output, int log, pid_t parent) {
    ::setsid(); // the terminal's Ctrl-C is for the parent; a scheduling group of its own ...
    // ... which stands behind the shim's, but before other work: a program that comes late to its data
    // acknowledges them late. Refused without privilege, absent on kernels without autogroups.
    if (const int group = ::open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC); group >= 0) {
        (void)!::write(group, "-10", 3);
        ::close(group);
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const sched_param ordinary{};
    ::sched_setscheduler(0, SCHED_OTHER, &ordinary); // the shim's own slice is short ...
    ::setpriority(PRIO_PROCESS, 0, 0);               // ... and its priority raised
    if (::getppid() != parent || ::setns(space, CLONE_NEWNET) != 0)
        ::_exit(could_not_start);
    const int null = ::open("/dev/null", O_RDONLY);
    if (::dup2(null, STDIN_FILENO) < 0 || ::dup2(output, STDOUT_FILENO) < 0 || ::dup2(log, STDERR_FILENO) < 0)
        ::_exit(could_not_start);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE})
        ::signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execv("/proc/self/exe", const_cast<char *const *>(argv));
    ::_exit(could_not_start);
}

// Documentation/scheduler/sched-stats.rst: nanoseconds run, nanoseconds waited for a processor, slices.
std::optional<std::int64_t> waited_for_processor(pid_t pid) {
    std::ifstream file(fmt::format("/proc/{}/schedstat", pid));
    std::int64_t run = 0, waited = 0;
    if (file >> run >> waited)
        return waited;
    return std::nullopt;
}

} // namespace

Result<Child> Child::start(const std::vector<std::string> &arguments, const shim::NetNamespace &space,
                           const std::string &log_path) {
    std::vector<const char *> argv = {"iscsiscope-testbed"};
    for (const std::string &argument : arguments)
        argv.push_back(argument.c_str());
    argv.push_back(nullptr);
    int ends[2] = {-1, -1};
    const shim::FileDescriptor log(::open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (!log.valid() || ::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return Failure{fmt::format("starting {}: {}", arguments.front(), std::strerror(errno))};
    shim::FileDescriptor from_child(ends[0]);
    const shim::FileDescriptor to_parent(ends[1]);
    ::fcntl(ends[1], F_SETFL, 0); // the child may block on its own output
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0)
        return Failure{fmt::format("starting {}: {}", arguments.front(), std::strerror(errno))};
    if (pid == 0)
        become(argv.data(), space.fd(), to_parent.get(), log.get(), parent);
    return Child(pid, std::move(from_child));
}

Child::Child(Child &&other) noexcept
    : pid_(std::exchange(other.pid_, -1)), output_(std::move(other.output_)), text_(std::move(other.text_)),
      end_(std::move(other.end_)), waited_ns_(other.waited_ns_),
      running_(std::exchange(other.running_, false)), ready_(other.ready_) {}

Child::~Child() {
    if (running_) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
}

bool Child::read_output() {
    std::array<char, 4096> buffer;
    while (true) {
        const ssize_t size = ::read(output_.get(), buffer.data(), buffer.size());
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return size < 0 && errno == EAGAIN;
        if (text_.size() < max_output)
            text_.append(buffer.data(), static_cast<std::size_t>(size));
        const std::size_t line = text_.rfind("ready", 0) == 0 ? 0 : text_.find("\nready");
        ready_ = ready_ || (line != std::string::npos && text_.find('\n', line + 1) != std::string::npos);
    }
}

bool Child::reap() {
    siginfo_t info{};
    if (!running_ || ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid != pid_)
        return false;
    waited_ns_ = waited_for_processor(pid_); // gone with the next line
    int status = 0;
    ::waitpid(pid_, &status, 0);
    running_ = false;
    read_output();
    if (WIFSIGNALED(status))
        end_ = fmt::format("ended by signal {}", WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
        end_ = fmt::format("ended with exit code {}", WEXITSTATUS(status));
    return true;
}

void Child::signal(int number) const {
    if (running_)
        ::kill(pid_, number);
}

void show_log(const std::string &log_path, const std::string &program) {
    std::ifstream log(log_path);
    std::string line;
    while (std::getline(log, line))
        std::fprintf(stderr, "%s: %s\n", program.c_str(), line.c_str());
}

} // namespace iscsiscope::testbed::run
