// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/guest/boot.h"

#include "sample-captures/testbed/run/guest/first_process.h"
#include "sample-captures/testbed/run/output_folder.h"
#include "sample-captures/testbed/run/run_signals.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace iscsiscope::testbed::run {
namespace {

namespace fs = std::filesystem;

constexpr const char *memory = "1200M"; // of address space: a guest touches a small part
// The guest's clock starts here: 2026-01-01.
constexpr const char *first_instant_ns = "1767225600000000000";
// What a system call takes. The shim makes some ten for each packet, and one of 1500 bytes passes a link of
// 10 Gbit/s in 1.2 us.
constexpr int call_ns = 20;
constexpr const char *here = "/proc/self/cwd"; // of the kernel's process: the run's hidden folder

// The kernel's parameters are those of every run but for the seed and where this program lies.
std::vector<std::string> kernel_words(const VirtualRun &given, std::uint64_t seed,
                                      const std::string &program) {
    return {fs::absolute(given.kernel).string(),
            fmt::format("mem={}", memory),
            "root=/dev/root",
            "rootfstype=hostfs",
            "rootflags=/",
            "ro",
            fmt::format("init={}", program),
            "umid=guest",
            fmt::format("uml_dir={}/uml/", here),
            "con=null",
            "con0=null,fd:1",
            "quiet",
            "norandmaps",
            "time-travel=inf-cpu",
            fmt::format("time-travel-start={}", first_instant_ns),
            fmt::format("call-cost-ns={}", call_ns),
            fmt::format("random-seed={}", seed + 1), // 0 would be the host's randomness
            "guest"};
}

Status write_arguments(const std::string &path, const VirtualRun &given) {
    std::string text;
    std::vector<std::string> words = {
        "run",  given.scenario_file, "-o",     fmt::format("{}/{}", guest_share, guest_made), "--progress",
        "none", "--clock",           "virtual"};
    for (const std::string &set : given.sets)
        words.insert(words.end(), {"--set", set});
    for (const std::string &word : words)
        text += word + '\0';
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    return file ? Status{} : Status{Failure{fmt::format("writing {}: {}", path, std::strerror(errno))}};
}

// The kernel as a process in a group of its own, in `folder`, with its console in the file `console` there.
pid_t start_kernel(const std::vector<std::string> &words, const std::string &folder) {
    std::vector<char *> arguments;
    arguments.reserve(words.size() + 1);
    for (const std::string &word : words)
        arguments.push_back(const_cast<char *>(word.c_str())); // execve takes them so and changes nothing
    arguments.push_back(nullptr);
    std::string path = "PATH=/usr/bin:/bin", temporary = "TMPDIR=/dev/shm";
    std::vector<char *> environment = {path.data(), temporary.data(), nullptr};
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid != 0)
        return pid;
    ::setsid();
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::personality(ADDR_NO_RANDOMIZE); // the guest's memory map is the same in every run
    const int null = ::open("/dev/null", O_RDONLY);
    if (::getppid() != parent || ::chdir(folder.c_str()) != 0)
        ::_exit(127);
    const int console = ::open("console", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ::dup2(null, STDIN_FILENO);
    ::dup2(console, STDOUT_FILENO);
    ::dup2(console, STDERR_FILENO);
    ::execve(arguments.front(), arguments.data(), environment.data());
    ::dprintf(STDERR_FILENO, "%s: %s", arguments.front(), std::strerror(errno));
    ::_exit(127);
}

std::string read_all(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// What is left of a console that may hold a panic.
std::string end_of(const std::string &text) {
    constexpr std::size_t most = 800;
    return text.size() > most ? text.substr(text.size() - most) : text;
}

struct Ended {
    bool interrupted = false;
    double processor_s = 0;
};

// Waits for the kernel's end. A signal ends it; nothing of its group is left.
Ended wait_for(pid_t pid, const sigset_t &signals) {
    Ended ended;
    int status = 0;
    rusage used{};
    while (::wait4(pid, &status, WNOHANG, &used) != pid) {
        const int number = ::sigwaitinfo(&signals, nullptr);
        if (number > 0 && number != SIGCHLD) {
            ended.interrupted = true;
            ::kill(-pid, SIGKILL);
        }
    }
    ::kill(-pid, SIGKILL);
    const auto seconds = [](const timeval &time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    ended.processor_s = seconds(used.ru_utime) + seconds(used.ru_stime);
    return ended;
}

// The hidden folder of the run. Its own end removes the files in it, so this one's removes the folders
// before.
class Staging {
public:
    explicit Staging(OutputFolder folder) : folder_(std::move(folder)) {}
    ~Staging() {
        std::error_code error;
        fs::remove_all(path(guest_made), error);
        fs::remove_all(path("uml"), error);
    }
    Staging(const Staging &) = delete;
    Staging &operator=(const Staging &) = delete;

    std::string path(const std::string &name) const { return folder_.temporary(name); }
    Status prepare(const VirtualRun &given) const {
        std::error_code error;
        if (!fs::create_directory(path(guest_made), error))
            return Failure{fmt::format("making {}: {}", path(guest_made), error.message())};
        return write_arguments(path(guest_arguments), given);
    }
    // Gives what the run made its final names, which are returned.
    Result<std::vector<std::string>> publish() {
        std::vector<std::string> made;
        std::error_code error;
        for (const fs::directory_entry &entry : fs::directory_iterator(path(guest_made), error))
            if (entry.is_regular_file())
                made.push_back(entry.path().filename().string());
        std::sort(made.begin(), made.end());
        for (const std::string &file : made) {
            fs::rename(path(guest_made) + "/" + file, path(file), error);
            if (error)
                return Failure{fmt::format("moving {}: {}", file, error.message())};
        }
        return folder_.publish(made);
    }

private:
    OutputFolder folder_;
};

struct GuestResult {
    int exit_code = exit_error;
    std::int64_t virtual_ns = 0; // since the boot
};

Result<GuestResult> read_result(const Staging &staging) {
    GuestResult result;
    std::ifstream file(staging.path(guest_result));
    if (file >> result.exit_code >> result.virtual_ns)
        return result;
    return Failure{fmt::format("the guest left no result; its console ends with: {}",
                               end_of(read_all(staging.path("console"))))};
}

int fail(Progress &progress, const Failure &failure) {
    progress.end(exit_error, {failure.message}, {});
    return report(failure);
}

} // namespace

int run_virtual(const scenario::Scenario &scenario, const VirtualRun &given, const RunOptions &options) {
    if (::access(given.kernel.c_str(), X_OK) != 0) {
        return report(Failure{fmt::format("{}: {}: run --virtual needs a kernel whose clock can be "
                                          "simulated; docs/testbed.md says how to build it",
                                          given.kernel, std::strerror(errno))});
    }
    const sigset_t signals = run_signals();
    ::sigprocmask(SIG_BLOCK, &signals, nullptr); // taken by wait_for(), one at a time
    Progress progress(options.progress, scenario.name, std::nullopt);
    progress.phase("running in virtual time");
    Result<OutputFolder> folder = OutputFolder::create(options.folder, scenario.name);
    if (!folder.ok())
        return fail(progress, folder.failure());
    Staging staging(std::move(folder.value()));
    if (const Status failure = staging.prepare(given))
        return fail(progress, *failure);
    const auto begin = std::chrono::steady_clock::now();
    const std::string program = fs::read_symlink("/proc/self/exe").string();
    const pid_t pid = start_kernel(kernel_words(given, scenario.network.seed, program),
                                   fs::absolute(staging.path(".")).string());
    if (pid < 0)
        return fail(progress, Failure{"no process can be started"});
    const Ended ended = wait_for(pid, signals);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (ended.interrupted) {
        progress.end(exit_interrupted, {"interrupted"}, {});
        std::fprintf(stderr, "iscsiscope-testbed: interrupted, nothing is kept\n");
        return exit_interrupted;
    }
    const std::string said = read_all(staging.path(guest_errors));
    const Result<GuestResult> result = read_result(staging);
    const bool complete =
        result.ok() && (result.value().exit_code == exit_done || result.value().exit_code == exit_not_valid);
    const Result<std::vector<std::string>> files =
        complete ? staging.publish() : Result<std::vector<std::string>>(std::vector<std::string>{});
    if (!result.ok() || !files.ok())
        return fail(progress, result.ok() ? files.failure() : result.failure());
    const int code = result.value().exit_code;
    progress.end(code, code == exit_done ? std::vector<std::string>{} : std::vector<std::string>{said},
                 files.value());
    std::fputs(said.c_str(), stderr);
    if (!options.quiet && options.progress != ProgressStyle::jsonl) {
        for (const std::string &path : files.value())
            std::puts(path.c_str());
        std::fprintf(stderr,
                     "iscsiscope-testbed: %.3f s of virtual time took %.1f s (%.1f s of processor time)\n",
                     static_cast<double>(result.value().virtual_ns) / 1e9, took.count(), ended.processor_s);
    }
    return code;
}

} // namespace iscsiscope::testbed::run
