// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/conductor.h"

#include "sample-captures/testbed/run/hidden_secrets.h"
#include "sample-captures/testbed/run/run_signals.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace iscsiscope::testbed::run {
namespace {

using Role = scenario::Program::Role;

constexpr long tick_ns = 20'000'000;
constexpr Duration ready_within = std::chrono::seconds(15);
constexpr Duration end_within = std::chrono::seconds(10); // after SIGTERM, then SIGKILL
constexpr Duration drain_within = std::chrono::seconds(3);
constexpr Duration quiet_for = std::chrono::milliseconds(60); // no packet: the connections are closed

} // namespace

Conductor::Conductor(const scenario::Scenario &scenario, shim::Shim &shim,
                     const std::vector<shim::NetNamespace> &spaces, const std::vector<ProgramFiles> &files,
                     const shim::DiskWriter *disk, Progress &progress)
    : scenario_(scenario), shim_(shim), spaces_(spaces), disk_(disk), progress_(progress),
      children_(scenario.programs.size()) {
    for (std::size_t i = 0; i < scenario.programs.size(); ++i) {
        ProgramResult result;
        result.name = scenario.programs[i].name;
        result.host = scenario.programs[i].host;
        result.files = files[i];
        outcome_.programs.push_back(std::move(result));
    }
    const sigset_t signals = run_signals();
    signals_ = shim::FileDescriptor(::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC));
    tick_ = shim::FileDescriptor(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
    if (progress.wants_live()) {
        std::vector<std::string> names;
        for (const scenario::Host &host : scenario.hosts)
            names.push_back(host.name);
        progress.hosts(std::move(names));
        live_.emplace(spaces);
    }
    const itimerspec period{{0, tick_ns}, {0, tick_ns}};
    ::timerfd_settime(tick_.get(), 0, &period, nullptr);
}

bool Conductor::start(std::size_t number) {
    const scenario::Program &program = scenario_.programs[number];
    ProgramResult &result = outcome_.programs[number];
    std::vector<std::string> arguments = {program.run};
    arguments.insert(arguments.end(), program.arguments.begin(), program.arguments.end());
    hide_secrets(arguments, number);
    if (!result.files.truth.empty())
        arguments.insert(arguments.end(), {"--truth", result.files.truth});
    Result<Child> child = Child::start(arguments, spaces_[program.host], result.files.log);
    if (!child.ok()) {
        fail(child.failure().message);
        return false;
    }
    children_[number].emplace(std::move(child.value()));
    shim_.watch(children_[number]->output_fd(), [this, number] { on_output(number); });
    return true;
}

void Conductor::fail(const std::string &why) {
    if (!outcome_.failure)
        outcome_.failure = Failure{why};
    enter(Phase::over);
}

void Conductor::interrupt() {
    outcome_.interrupted = true;
    enter(Phase::over);
}

void Conductor::enter(Phase phase) {
    phase_ = phase;
    phase_start_ = quiet_since_ = shim_.now();
    if (phase == Phase::over)
        shim_.stop();
}

bool Conductor::any_running(Role role) const {
    for (std::size_t i = 0; i < children_.size(); ++i)
        if (scenario_.programs[i].role == role && children_[i] && children_[i]->running())
            return true;
    return false;
}

void Conductor::signal_all(Role role, int number) const {
    for (std::size_t i = 0; i < children_.size(); ++i)
        if (scenario_.programs[i].role == role && children_[i])
            children_[i]->signal(number);
}

void Conductor::on_output(std::size_t program) {
    if (!children_[program]->read_output())
        shim_.unwatch(children_[program]->output_fd());
    if (phase_ != Phase::servers)
        return;
    for (std::size_t i = 0; i < children_.size(); ++i)
        if (scenario_.programs[i].role == Role::server && !children_[i]->ready())
            return;
    shim_.start_clock();
    enter(Phase::clients);
    start_due_clients();
}

void Conductor::start_due_clients() {
    for (std::size_t i = 0; i < children_.size(); ++i) {
        const scenario::Program &program = scenario_.programs[i];
        if (program.role == Role::client && !children_[i] && shim_.now() >= shim::Instant{program.start} &&
            !start(i))
            return;
    }
}

void Conductor::on_ended(std::size_t program) {
    const Child &child = *children_[program];
    ProgramResult &result = outcome_.programs[program];
    result.end = child.end();
    result.waited_ns = child.waited_ns();
    if (scenario_.programs[program].role == Role::server &&
        (phase_ == Phase::servers || phase_ == Phase::clients)) {
        result.end += result.end.empty() ? "ended by itself" : "";
        if (phase_ == Phase::servers) {
            fail(fmt::format("{} {} before it was ready", result.name, result.end));
            return;
        }
    }
    if (duration_over_ && scenario_.programs[program].role == Role::client) {
        result.note = result.end.empty() ? "" : "ended when the duration was over, " + result.end;
        result.end.clear(); // the scenario cut it short: no fault
    }
    if (!result.end.empty()) {
        outcome_.reasons.push_back(fmt::format("{} {}", result.name, result.end));
        if (phase_ == Phase::clients && scenario_.programs[program].role == Role::server) {
            signal_all(Role::client, SIGTERM); // nothing left to talk to
            clients_signalled_ = true;
        }
    }
    drain_when_done();
}

void Conductor::drain_when_done() {
    const bool all_started =
        std::all_of(children_.begin(), children_.end(), [](const auto &child) { return child.has_value(); });
    if (phase_ == Phase::clients && !any_running(Role::client) && (all_started || clients_signalled_))
        enter(Phase::draining);
}

void Conductor::on_signal() {
    signalfd_siginfo info{};
    while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
        if (info.ssi_signo != SIGCHLD) {
            interrupt();
            return;
        }
    }
    for (std::size_t i = 0; i < children_.size(); ++i)
        if (children_[i] && children_[i]->reap())
            on_ended(i);
}

void Conductor::on_tick() {
    std::uint64_t expired = 0;
    (void)!::read(tick_.get(), &expired, sizeof expired);
    const shim::Instant now = shim_.now();
    const Duration in_phase = now - phase_start_;
    if (shim_.record().packets_in + shim_.record().packets_delivered != seen_packets_ ||
        shim_.network().under_way() > 0) {
        seen_packets_ = shim_.record().packets_in + shim_.record().packets_delivered;
        quiet_since_ = now;
    }
    const bool drained = now - quiet_since_ > quiet_for || in_phase > drain_within;
    if (disk_ != nullptr && disk_->has_failed()) {
        fail("a capture could not be written (is the disk full?)");
        return;
    }
    switch (phase_) {
    case Phase::servers:
        if (in_phase > ready_within)
            fail("a server did not get ready");
        break;
    case Phase::clients:
        start_due_clients();
        if (scenario_.duration && now > shim::Instant{*scenario_.duration} && !clients_signalled_) {
            signal_all(Role::client, SIGTERM);
            clients_signalled_ = duration_over_ = true;
            phase_start_ = now;
        } else if (clients_signalled_ && in_phase > end_within) {
            outcome_.reasons.emplace_back("a client did not end on request");
            signal_all(Role::client, SIGKILL);
            phase_start_ = now;
        }
        break;
    case Phase::draining: // the clients' last packets, then the servers
        if (drained) {
            signal_all(Role::server, SIGTERM);
            enter(Phase::ending);
        }
        break;
    case Phase::ending:
        if (any_running(Role::server)) {
            if (in_phase > end_within) {
                outcome_.reasons.emplace_back("a server did not end on request");
                signal_all(Role::server, SIGKILL);
                phase_start_ = now;
            }
            quiet_since_ = now;
        } else if (drained) {
            enter(Phase::over);
        }
        break;
    case Phase::over:
        break;
    }
    if (phase_ != Phase::servers &&
        (now.time_since_epoch() / std::chrono::milliseconds(200)) !=
            ((now - std::chrono::nanoseconds(tick_ns)).time_since_epoch() / std::chrono::milliseconds(200))) {
        progress_.update(now.time_since_epoch(),
                         {shim_.record().bytes_delivered, shim_.record().drops.size(),
                          live_ ? live_->cwnd_bytes() : std::vector<std::uint64_t>{}});
    }
}

Outcome Conductor::run() {
    shim_.watch(
        signals_.get(), [this] { on_signal(); });
    shim_.watch(tick_.get(), [this] { on_tick(); });
    enter(Phase::servers);
    bool server = false;
    for (std::size_t i = 0; i < children_.size(); ++i) {
        server = server || scenario_.programs[i].role == Role::server;
        if (scenario_.programs[i].role == Role::server && !start(i))
            break;
    }
    if (!server && !outcome_.failure) {
        enter(Phase::clients);
        start_due_clients();
    }
    if (!outcome_.failure) {
        if (const Status failure = shim_.run(); failure && !outcome_.failure)
            outcome_.failure = failure;
    }
    for (std::size_t i = 0; i < children_.size(); ++i)
        if (children_[i])
            outcome_.programs[i].output = children_[i]->output();
    children_.clear(); // kills what still runs
    return std::move(outcome_);
}

} // namespace iscsiscope::testbed::run
