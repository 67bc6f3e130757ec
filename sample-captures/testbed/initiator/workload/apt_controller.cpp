// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/workload/apt_controller.h"

#include "sample-captures/testbed/common/clock.h"

namespace iscsiscope::testbed::initiator {

using SteadyDuration = std::chrono::steady_clock::duration;

AptController::AptController(asio::io_context &io, AptSettings settings, Bytes bytes, SetActive set_active,
                             OnSample sample)
    : settings_(std::move(settings)), bytes_(std::move(bytes)), set_active_(std::move(set_active)),
      sample_(std::move(sample)), tuner_(settings_.tuner), timer_(io) {
    for (std::size_t i = 0; i < settings_.changes.size(); ++i)
        change_timers_.emplace_back(io);
}

void AptController::start() {
    running_ = true;
    set_active_(tuner_.current());
    schedule_changes();
    measure();
}

void AptController::stop() {
    running_ = false;
    timer_.cancel();
    for (auto &timer : change_timers_)
        timer.cancel();
}

void AptController::schedule_changes() {
    for (std::size_t i = 0; i < settings_.changes.size(); ++i) {
        const AptSettings::Change change = settings_.changes[i];
        change_timers_[i].expires_after(
            std::chrono::duration_cast<SteadyDuration>(change.at + settings_.measuring_time));
        change_timers_[i].async_wait([this, change](const asio::error_code &error) {
            if (error || !running_)
                return;
            tuner_.restart(change.step);
            set_active_(tuner_.current());
            measure(); // what was measured so far belongs to two bandwidths
        });
    }
}

void AptController::measure() {
    bytes_before_ = bytes_();
    since_ = std::chrono::steady_clock::now();
    timer_.expires_after(std::chrono::duration_cast<SteadyDuration>(settings_.measuring_time));
    timer_.async_wait([this](const asio::error_code &error) {
        if (error || !running_)
            return;
        // Divided by the time that really passed: a late timer is not extra throughput.
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - since_;
        AptSample sample;
        sample.time_ns = realtime_ns();
        sample.connections = tuner_.current();
        sample.bytes_per_second = static_cast<double>(bytes_() - bytes_before_) / passed.count();
        tuner_.measured(sample.bytes_per_second);
        sample.stage = tuner_.stage();
        sample.next = tuner_.current();
        set_active_(sample.next);
        sample_(sample);
        measure();
    });
}

} // namespace iscsiscope::testbed::initiator
