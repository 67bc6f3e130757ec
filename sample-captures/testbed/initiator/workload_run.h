// SPDX-License-Identifier: GPL-2.0-or-later
// One run from connecting to the report: sessions, probe, prefill, workload, read-back, logout, truth.
#pragma once

#include "sample-captures/testbed/initiator/options.h"
#include "sample-captures/testbed/initiator/progress.h"
#include "sample-captures/testbed/initiator/session/session.h"
#include "sample-captures/testbed/initiator/truth_log.h"
#include "sample-captures/testbed/initiator/workload/command_runner.h"
#include "sample-captures/testbed/initiator/workload/run_report.h"
#include "sample-captures/testbed/initiator/workload/unit_probe.h"

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace iscsiscope::testbed::initiator {

// One thread, that of the io_context. Messages for the user go to standard error as they come.
class WorkloadRun final : private SessionObserver {
public:
    WorkloadRun(asio::io_context &io, const Options &options);

    // Runs until ended() is true; the io_context then has nothing left to do.
    void start();
    // SIGINT or SIGTERM: no more commands, logout within bounds.
    void interrupt();
    bool ended() const { return phase_ == Phase::ended; }
    // After the end.
    const RunReport &report() const { return report_; }
    // Targets found, for --discover.
    const std::vector<KeyValue> &discovered() const { return discovered_; }

private:
    enum class Phase : std::uint8_t {
        opening,
        probing,
        prefill,
        running,
        draining,
        reading_back,
        closing,
        ended
    };

    void on_connection_open(Session &, Connection &) override;
    void on_connection_end(Session &, Connection &, const std::string &reason) override;
    void on_task_end(Session &, const Task &) override;
    void on_notice(Session &, const std::string &text) override;
    void on_session_end(Session &, const std::string &reason, bool gone) override;

    void on_opened(std::size_t index, const std::string &error);
    void on_probed(std::size_t index, const UnitFacts &facts);
    std::string set_region();
    void discover();
    void prefill();
    void run();
    void read_back();
    void start_runner(const char *phase, RunnerSettings settings, CommandRunner::Source source,
                      void (WorkloadRun::*next)());
    void after_prefill();
    void after_run();
    void after_read_back();
    CommandRunner::Source workload_source();
    RunnerSettings workload_settings() const;
    RunnerSettings plain_settings() const; // prefill and read-back
    void start_tuner();
    void error(int exit_code, const std::string &text);
    void close_sessions();
    void finish();
    void fill_report();
    ProgressNow progress_now() const;
    void count_hidden_notices() const;

    asio::io_context &io_;
    const Options &options_;
    Phase phase_ = Phase::opening;
    std::vector<std::unique_ptr<Session>> sessions_;
    std::vector<UnitFacts> units_;
    std::size_t waiting_ = 0; // sessions that have not yet answered the current step
    BlockRange region_;
    std::uint64_t request_blocks_ = 0;
    std::uint32_t block_bytes_ = 0;
    BufferPool buffers_;
    std::optional<DataVerifier> verifier_;
    std::uint32_t next_generation_ = 1;
    std::vector<std::unique_ptr<CommandRunner>> runners_; // of all phases: timers may still name them
    CommandRunner *workload_ = nullptr;
    std::optional<AptController> tuner_;
    std::optional<Progress> progress_;
    std::string phase_name_;
    TruthLog truth_;
    std::int64_t start_ns_ = 0;
    asio::steady_timer duration_timer_, reset_timer_, drain_timer_;
    bool interrupted_ = false;
    unsigned notices_ = 0; // printed; a flood is cut off
    RunReport report_;
    std::vector<KeyValue> discovered_;
};

} // namespace iscsiscope::testbed::initiator
