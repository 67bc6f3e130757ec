// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/live/watch_scenario.h"

#include "sample-captures/testbed/net/stream_writer.h"
#include "sample-captures/testbed/net/truth_rows.h"
#include "sample-captures/testbed/run/conductor.h"
#include "sample-captures/testbed/run/host_setup.h"
#include "sample-captures/testbed/run/live/stream_output.h"
#include "sample-captures/testbed/run/run_scenario.h"
#include "sample-captures/testbed/run/run_signals.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace iscsiscope::testbed::run {
namespace {

constexpr long flush_period_ns = 20'000'000;
constexpr timespec look_for_end{0, 20'000'000};

// The programs' standard error goes to memory, so that no file is left however the run ends.
struct ProgramLogs {
    std::vector<shim::FileDescriptor> memory;
    std::vector<ProgramFiles> files;
};

Result<ProgramLogs> make_logs(const scenario::Scenario &scenario) {
    ProgramLogs logs;
    for (const scenario::Program &program : scenario.programs) {
        shim::FileDescriptor log(::memfd_create(program.name.c_str(), MFD_CLOEXEC));
        if (!log.valid())
            return Failure{fmt::format("memory for the messages of a program: {}", std::strerror(errno))};
        logs.files.push_back({fmt::format("/proc/self/fd/{}", log.get()), ""});
        logs.memory.push_back(std::move(log));
    }
    return logs;
}

// Calls `flush` at its period from the shim's loop, as long as the object lives.
class FlushTimer {
public:
    FlushTimer(shim::Shim &shim, std::function<void()> flush)
        : shim_(shim), timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {
        const itimerspec period{{0, flush_period_ns}, {0, flush_period_ns}};
        ::timerfd_settime(timer_.get(), 0, &period, nullptr);
        shim_.watch(timer_.get(), [this, flush = std::move(flush)] {
            std::uint64_t expired = 0;
            (void)!::read(timer_.get(), &expired, sizeof expired);
            flush();
        });
    }
    ~FlushTimer() { shim_.unwatch(timer_.get()); }
    FlushTimer(const FlushTimer &) = delete;
    FlushTimer &operator=(const FlushTimer &) = delete;

private:
    shim::Shim &shim_;
    shim::FileDescriptor timer_;
};

// What the reader of the capture should know about the run.
std::vector<std::string> remarks_on(const scenario::Scenario &scenario, shim::Shim &shim,
                                    const shim::PcapngWriter &capture) {
    std::vector<std::string> names;
    for (const scenario::Host &host : scenario.hosts)
        names.push_back(host.name);
    const shim::Validity verdict = shim::judge(shim, names, scenario.stall_bound);
    std::vector<std::string> remarks = verdict.warnings;
    for (const std::string &reason : verdict.reasons)
        remarks.push_back("this machine did not keep the times of the scenario: " + reason);
    if (capture.left_out() > 0)
        remarks.push_back(
            fmt::format("the reader was too slow: {} packets were left out", capture.left_out()));
    return remarks;
}

// Waits until the reader has taken everything, or one of the signals comes.
void wait_for_reader(const shim::StreamWriter &stream, const sigset_t &stop) {
    while (!stream.done() && ::sigtimedwait(&stop, nullptr, &look_for_end) <= 0) {
    }
}

} // namespace

int watch_scenario(const scenario::Scenario &scenario, const WatchPoint &point, const WatchOptions &options) {
    const sigset_t stop = signal_set({SIGINT, SIGTERM, SIGHUP});
    const sigset_t signals = run_signals();
    ::sigprocmask(SIG_BLOCK, &signals, nullptr); // taken by the conductor, one at a time
    ::signal(SIGPIPE, SIG_IGN);

    Result<shim::FileDescriptor> output = open_stream(options.output, stop);
    if (!output.ok())
        return report(output.failure());
    if (!output.value().valid())
        return exit_done;
    if (const Status failure = shim::enter_private_network(options.force_user_namespace))
        return report(*failure);
    Result<HostSet> hosts = set_up_hosts(scenario);
    if (!hosts.ok())
        return report(hosts.failure());
    const Result<ProgramLogs> logs = make_logs(scenario);
    if (!logs.ok())
        return report(logs.failure());
    const auto stream = std::make_shared<shim::StreamWriter>(std::move(output.value()));
    shim::PcapngWriter capture(stream, scenario.capture, scenario.text, point.name, point.description);
    capture.keep_only(options.filter);
    capture.flush(); // the reader knows at once that there is a capture
    shim::Shim shim(scenario.network, std::move(hosts.value().ports));
    shim.list_no_packets();
    if (point.kind == WatchPoint::Kind::host)
        shim.capture_at_host(point.number, &capture);
    else
        shim.capture_at_tap(point.number, &capture);

    Progress progress(ProgressStyle::none, scenario.name, std::nullopt);
    Conductor conductor(scenario, shim, hosts.value().spaces, logs.value().files, nullptr, progress);
    shim.watch(
        stream->ended_fd(), [&conductor] { conductor.interrupt(); });
    const FlushTimer timer(shim, [&capture] { capture.flush(); });
    const Outcome outcome = conductor.run();

    if (const Status failure = stream->failure())
        return report(*failure);
    if (outcome.interrupted)
        return exit_done;
    for (const ProgramResult &program : outcome.programs)
        if (!program.end.empty())
            show_log(program.files.log, program.name);
    if (outcome.failure)
        return report(*outcome.failure);
    capture.flush();
    const std::vector<std::string> remarks = remarks_on(scenario, shim, capture);
    std::uint64_t lost = 0;
    if (point.kind == WatchPoint::Kind::host)
        if (const Result<shim::KernelLosses> losses = shim.losses(point.number); losses.ok())
            lost = losses.value().to_shim;
    capture.finish(lost, remarks);
    wait_for_reader(*stream, stop);
    if (!options.quiet)
        for (const std::string &remark : remarks)
            std::fprintf(stderr, "iscsiscope-testbed: %s: %s\n", scenario.name.c_str(), remark.c_str());
    for (const std::string &reason : outcome.reasons)
        std::fprintf(stderr, "iscsiscope-testbed: %s: %s\n", scenario.name.c_str(), reason.c_str());
    return outcome.reasons.empty() ? exit_done : exit_not_valid;
}

} // namespace iscsiscope::testbed::run
