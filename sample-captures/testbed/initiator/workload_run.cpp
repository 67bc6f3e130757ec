// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/workload_run.h"

#include "sample-captures/testbed/common/clock.h"

#include <asio/post.hpp>

#include <sys/random.h>

#include <algorithm>
#include <cstdio>

namespace iscsiscope::testbed::initiator {

namespace {

constexpr auto drain_bound = std::chrono::seconds(1); // for commands that are out when interrupted
constexpr auto logout_bound = std::chrono::seconds(2);
using SteadyDuration = std::chrono::steady_clock::duration;

// "Random" format (RFC 7143 section 11.12.5): a session of its own for each run.
Isid random_isid() {
    Isid isid{};
    if (getrandom(isid.data(), isid.size(), 0) != static_cast<ssize_t>(isid.size()))
        isid[1] = std::byte{1};
    isid[0] = std::byte{0x80};
    return isid;
}

SessionSettings session_settings(const Options &o, const TargetUrl &target) {
    SessionSettings s;
    s.connection = {target.host, target.port, o.socket, o.link, o.login_timeout};
    s.login.initiator_name = o.initiator_name;
    s.login.isid = random_isid();
    s.login.credentials = {target.user, target.secret, o.target_user, o.target_secret};
    s.login.offers = keys_to_offer(o);
    if (o.mode == Options::Mode::discover)
        return s;
    s.login.target_name = target.name;
    s.lun = target.lun;
    s.more_portals = o.more_portals;
    s.connections = o.connections;
    s.dispatch = o.dispatch;
    s.connection_depth = o.connection_depth;
    s.unsolicited = o.unsolicited;
    s.r2t_delay = o.r2t_delay;
    s.timeout = o.timeout;
    s.abort_after = o.abort_after;
    return s;
}

} // namespace

WorkloadRun::WorkloadRun(asio::io_context &io, const Options &options)
    : io_(io), options_(options), duration_timer_(io), reset_timer_(io), drain_timer_(io) {
    unsigned number = 0;
    for (const TargetUrl &target : options_.targets)
        sessions_.push_back(std::make_unique<Session>(io_, static_cast<SessionObserver &>(*this),
                                                      session_settings(options_, target), ++number));
    units_.resize(sessions_.size());
}

void WorkloadRun::error(int exit_code, const std::string &text) {
    if (progress_)
        progress_->stop();
    std::fprintf(stderr, "initiator: %s\n", text.c_str());
    report_.errors.push_back(text);
    report_.exit_code = std::max(report_.exit_code, exit_code);
}

void WorkloadRun::start() {
    start_ns_ = realtime_ns();
    if (!options_.truth.empty())
        if (const Status failure = truth_.open(options_.truth, options_.tcp_info)) {
            error(2, failure->message);
            phase_ = Phase::ended;
            return;
        }
    waiting_ = sessions_.size();
    for (std::size_t i = 0; i < sessions_.size(); ++i)
        sessions_[i]->open([this, i](const std::string &failed) { on_opened(i, failed); });
}

void WorkloadRun::on_opened(std::size_t index, const std::string &failed) {
    if (phase_ != Phase::opening)
        return;
    if (!failed.empty())
        error(2, failed);
    else
        truth_.session_open(*sessions_[index]);
    if (--waiting_ > 0)
        return;
    if (report_.exit_code != 0 || interrupted_)
        return close_sessions();
    if (options_.mode == Options::Mode::discover)
        return discover();
    phase_ = Phase::probing;
    waiting_ = sessions_.size();
    for (std::size_t i = 0; i < sessions_.size(); ++i)
        probe_unit(*sessions_[i], [this, i](const UnitFacts &facts) { on_probed(i, facts); });
}

void WorkloadRun::discover() {
    sessions_.front()->discover([this](std::vector<KeyValue> found) {
        discovered_ = std::move(found);
        close_sessions();
    });
}

void WorkloadRun::on_probed(std::size_t index, const UnitFacts &facts) {
    units_[index] = facts;
    if (!facts.error.empty() && phase_ == Phase::probing)
        error(2, options_.targets[index].portal() + " LUN " + std::to_string(options_.targets[index].lun) +
                     ": " + facts.error);
    if (--waiting_ > 0 || phase_ != Phase::probing)
        return;
    if (report_.exit_code == 0)
        if (const std::string wrong = set_region(); !wrong.empty())
            error(2, wrong);
    if (report_.exit_code != 0 || interrupted_)
        return close_sessions();
    progress_.emplace(io_, options_.progress, options_.progress_interval, [this] { return progress_now(); });
    if (options_.verify)
        verifier_.emplace(options_.seed, block_bytes_, only_reads(options_.workload) && !options_.prefill);
    if (options_.prefill)
        prefill();
    else
        run();
}

// In blocks of the unit, which the options' bytes must fit.
std::string WorkloadRun::set_region() {
    block_bytes_ = units_.front().block_bytes;
    std::uint64_t blocks = units_.front().blocks;
    for (const UnitFacts &unit : units_) {
        if (unit.block_bytes != block_bytes_)
            return "the mirrors have different block lengths";
        blocks = std::min(blocks, unit.blocks);
    }
    const auto fits = [&](std::uint64_t bytes) { return bytes % block_bytes_ == 0; };
    if (!fits(options_.block) || !fits(options_.offset) || !fits(options_.span.value_or(0)) ||
        !fits(options_.size.value_or(0)) || !std::all_of(options_.split.begin(), options_.split.end(), fits))
        return "block, split, offset, span and size must be multiples of the unit's block of " +
               std::to_string(block_bytes_) + " bytes";
    request_blocks_ = options_.block / block_bytes_;
    const std::uint64_t offset = options_.offset / block_bytes_;
    const std::uint64_t span =
        options_.span ? *options_.span / block_bytes_ : (offset < blocks ? blocks - offset : 0);
    if (offset >= blocks || span > blocks - offset)
        return "the region reaches beyond the unit's " + std::to_string(blocks * block_bytes_) + " bytes";
    if (span < request_blocks_)
        return "the region has no room for one request of " + std::to_string(options_.block) + " bytes";
    region_ = {offset, span};
    return {};
}

RunnerSettings WorkloadRun::workload_settings() const {
    RunnerSettings s;
    s.processes = options_.processes;
    s.depth = options_.depth;
    s.open_requests = options_.open_requests;
    s.think = options_.think;
    for (const std::uint64_t bytes : options_.split)
        s.split.push_back(bytes / block_bytes_);
    s.block_bytes = block_bytes_;
    s.keep_going = options_.keep_going;
    s.seed = options_.seed;
    s.write_same_every = options_.write_same_every;
    s.write_same_range = {region_.first, std::min(region_.count, options_.write_same_size / block_bytes_)};
    return s;
}

RunnerSettings WorkloadRun::plain_settings() const {
    RunnerSettings s;
    s.depth = 8;
    s.block_bytes = block_bytes_;
    s.seed = options_.seed;
    s.read_every_mirror = true;
    return s;
}

// Requests of all processes until a bound is reached. The generators live in the closure.
CommandRunner::Source WorkloadRun::workload_source() {
    struct State {
        std::vector<WorkloadGenerator> generators;
        std::uint64_t requests_left, blocks_left;
    };
    auto state = std::make_shared<State>();
    state->requests_left = options_.count.value_or(~std::uint64_t{0});
    state->blocks_left = options_.size ? *options_.size / block_bytes_ : ~std::uint64_t{0};
    const bool sequential = options_.workload == WorkloadKind::sequential_read ||
                            options_.workload == WorkloadKind::sequential_write;
    for (unsigned i = 0; i < options_.processes; ++i) {
        const BlockRange part =
            sequential ? region_of_process(region_, i, options_.processes, request_blocks_) : region_;
        state->generators.emplace_back(options_.workload, part, request_blocks_, options_.read_share,
                                       options_.seed + i * 0x9e3779b97f4a7c15);
    }
    return [state](unsigned process) -> std::optional<Request> {
        if (state->requests_left == 0 || state->blocks_left == 0)
            return std::nullopt;
        Request request = state->generators[process].next();
        request.range.count = std::min(request.range.count, state->blocks_left);
        --state->requests_left;
        state->blocks_left -= request.range.count;
        return request;
    };
}

void WorkloadRun::start_runner(const char *phase, RunnerSettings settings, CommandRunner::Source source,
                               void (WorkloadRun::*next)()) {
    phase_name_ = phase;
    truth_.row(std::move(TruthRow("phase").text("phase", phase).number("time_ns", realtime_ns())));
    std::vector<Session *> mirrors;
    for (const auto &session : sessions_)
        mirrors.push_back(session.get());
    runners_.push_back(std::make_unique<CommandRunner>(
        io_, std::move(mirrors), buffers_, verifier_ ? &*verifier_ : nullptr, next_generation_,
        std::move(settings), std::move(source), [this, next] { (this->*next)(); }));
    runners_.back()->start();
}

void WorkloadRun::prefill() {
    phase_ = Phase::prefill;
    const std::uint64_t most = std::max<std::uint64_t>(262144 / block_bytes_, 1);
    auto at = std::make_shared<std::uint64_t>(region_.first);
    progress_->start();
    start_runner(
        "prefill", plain_settings(),
        [at, most, end = region_.first + region_.count](unsigned) -> std::optional<Request> {
            if (*at >= end)
                return std::nullopt;
            const BlockRange range{*at, std::min(most, end - *at)};
            *at += range.count;
            return Request{true, range};
        },
        &WorkloadRun::after_prefill);
}

void WorkloadRun::after_prefill() {
    const CommandRunner &filled = *runners_.back();
    if (filled.figures().errors > 0)
        error(1, "prefill: " + filled.figures().first_error);
    if (filled.session_lost() || filled.figures().errors > 0 || interrupted_)
        return close_sessions();
    run();
}

void WorkloadRun::run() {
    phase_ = Phase::running;
    if (!options_.prefill)
        progress_->start();
    if (options_.duration && options_.duration->count() > 0) {
        duration_timer_.expires_after(std::chrono::duration_cast<SteadyDuration>(*options_.duration));
        duration_timer_.async_wait([this](const asio::error_code &cancelled) {
            if (!cancelled && workload_)
                workload_->end_drawing();
        });
    }
    if (options_.reset_lun_at) {
        reset_timer_.expires_after(std::chrono::duration_cast<SteadyDuration>(*options_.reset_lun_at));
        reset_timer_.async_wait([this](const asio::error_code &cancelled) {
            if (!cancelled)
                for (const auto &session : sessions_)
                    session->reset_lun();
        });
    }
    if (options_.apt.enabled)
        start_tuner();
    start_runner("workload", workload_settings(), workload_source(), &WorkloadRun::after_run);
    workload_ = runners_.back().get();
}

void WorkloadRun::start_tuner() {
    report_.tuning.emplace();
    tuner_.emplace(
        io_, options_.apt, [this] { return workload_ ? workload_->figures().bytes() : 0; },
        [this](unsigned n) {
            for (const auto &session : sessions_)
                session->set_active_connections(n);
        },
        [this](const AptSample &sample) {
            report_.tuning->samples.push_back(sample);
            truth_.row(
                std::move(TruthRow("apt")
                              .number("time_ns", sample.time_ns)
                              .number("connections", sample.connections)
                              .number("bytes_per_second", static_cast<std::int64_t>(sample.bytes_per_second))
                              .number("next", sample.next)
                              .truth("settled", sample.stage == ParallelismTuner::Stage::settled)));
        });
    tuner_->start();
}

void WorkloadRun::after_run() {
    duration_timer_.cancel();
    reset_timer_.cancel();
    if (tuner_) {
        tuner_->stop();
        report_.tuning->chosen = tuner_->tuner().current();
        report_.tuning->settled = tuner_->tuner().stage() == ParallelismTuner::Stage::settled;
        for (const auto &session : sessions_)
            session->set_active_connections(options_.connections);
    }
    report_.figures = workload_->figures();
    if (report_.figures.errors > 0)
        error(1, std::to_string(report_.figures.errors) +
                     " command(s) failed; the first: " + report_.figures.first_error);
    if (verifier_ && !only_reads(options_.workload) && !workload_->session_lost() && !interrupted_)
        return read_back();
    close_sessions();
}

void WorkloadRun::read_back() {
    phase_ = Phase::reading_back;
    const std::uint64_t most = std::max<std::uint64_t>(262144 / block_bytes_, 1);
    auto at = std::make_shared<std::uint64_t>(0);
    start_runner(
        "read back", plain_settings(),
        [this, at, most](unsigned) -> std::optional<Request> {
            const BlockRange range = verifier_->known_from(*at, most);
            *at = range.first + range.count;
            return range.count == 0 ? std::nullopt : std::optional{Request{false, range}};
        },
        &WorkloadRun::after_read_back);
}

void WorkloadRun::after_read_back() {
    if (runners_.back()->figures().errors > 0)
        error(1, "read back: " + runners_.back()->figures().first_error);
    close_sessions();
}

void WorkloadRun::interrupt() {
    if (interrupted_ || phase_ == Phase::closing || phase_ == Phase::ended)
        return;
    interrupted_ = true;
    // With --duration 0 an interrupt is the way to end.
    const bool meant = phase_ == Phase::running && options_.duration && options_.duration->count() == 0;
    if (!meant)
        error(1, "interrupted");
    if (phase_ == Phase::opening || phase_ == Phase::probing || runners_.empty())
        return close_sessions();
    phase_ = Phase::draining;
    drain_timer_.expires_after(drain_bound);
    drain_timer_.async_wait([this](const asio::error_code &cancelled) {
        if (cancelled || phase_ != Phase::draining)
            return;
        if (workload_)
            report_.figures = workload_->figures();
        close_sessions(); // commands still out end as lost
    });
    runners_.back()->abandon();
}

void WorkloadRun::close_sessions() {
    if (phase_ == Phase::closing || phase_ == Phase::ended)
        return;
    phase_ = Phase::closing;
    if (progress_)
        progress_->stop();
    fill_report(); // while the sessions' facts are there
    waiting_ = sessions_.size();
    for (const auto &session : sessions_)
        session->log_out(logout_bound, [this] {
            if (--waiting_ == 0)
                finish();
        });
}

void WorkloadRun::finish() {
    if (phase_ == Phase::ended)
        return;
    phase_ = Phase::ended;
    count_hidden_notices();
    if (verifier_) {
        report_.verification = VerificationReport{verifier_->checked_blocks(), verifier_->unchecked_blocks(),
                                                  verifier_->wrong_blocks(), verifier_->complaints()};
        if (verifier_->wrong_blocks() > 0)
            error(1, "data verification failed: " + std::to_string(verifier_->wrong_blocks()) +
                         " block(s); " + verifier_->complaints().front());
    }
    truth_.row(std::move(TruthRow("run")
                             .text("program", "iscsiscope-testbed initiator")
                             .number("start_ns", start_ns_)
                             .number("end_ns", realtime_ns())
                             .text("workload", name(options_.workload))
                             .number("block_bytes", static_cast<std::int64_t>(options_.block))
                             .number("depth", options_.depth)
                             .number("processes", options_.processes)
                             .number("connections", options_.connections)
                             .text("dispatch", name(options_.dispatch))
                             .number("seed", static_cast<std::int64_t>(options_.seed))
                             .number("exit_code", report_.exit_code)));
    if (const Status failure = truth_.close())
        error(1, failure->message);
    io_.stop();
}

} // namespace iscsiscope::testbed::initiator
