// SPDX-License-Identifier: GPL-2.0-or-later
// Runs the parallelism tuner on a session: measures what is completed in each T_m, sets how many
// connections carry commands, and starts anew one T_m after each change of bandwidth that it is given.
#pragma once

#include "sample-captures/testbed/initiator/workload/parallelism_tuner.h"

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace iscsiscope::testbed::initiator {

struct AptSettings {
    bool enabled = false;
    std::chrono::nanoseconds measuring_time = std::chrono::seconds(5); // T_m
    ParallelismTuner::Settings tuner;
    struct Change {
        std::chrono::nanoseconds at{}; // from the start of the run
        ParallelismTuner::Step step = ParallelismTuner::Step::raise;
    };
    std::vector<Change> changes;
};

struct AptSample {
    std::int64_t time_ns = 0; // CLOCK_REALTIME, end of the measuring time
    unsigned connections = 0; // that carried commands
    double bytes_per_second = 0;
    ParallelismTuner::Stage stage{}; // after this measurement
    unsigned next = 0;               // connections from now on
};

class AptController {
public:
    using Bytes = std::function<std::uint64_t()>; // completed so far
    using SetActive = std::function<void(unsigned)>;
    using OnSample = std::function<void(const AptSample &)>;
    AptController(asio::io_context &io, AptSettings settings, Bytes bytes, SetActive set_active,
                  OnSample sample);

    void start();
    void stop();
    const ParallelismTuner &tuner() const { return tuner_; }

private:
    void measure();
    void schedule_changes();

    AptSettings settings_;
    Bytes bytes_;
    SetActive set_active_;
    OnSample sample_;
    ParallelismTuner tuner_;
    asio::steady_timer timer_;
    std::vector<asio::steady_timer> change_timers_;
    std::uint64_t bytes_before_ = 0;
    std::chrono::steady_clock::time_point since_{};
    bool running_ = false;
};

} // namespace iscsiscope::testbed::initiator
