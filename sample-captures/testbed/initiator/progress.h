// SPDX-License-Identifier: GPL-2.0-or-later
// Lines about a run on its way, on standard error.
#pragma once

#include "sample-captures/testbed/initiator/options.h"

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace iscsiscope::testbed::initiator {

struct ProgressNow {
    std::string phase;
    std::uint64_t bytes = 0, commands = 0; // since the phase began
    unsigned connections = 0;              // that carry commands
    std::optional<double> share;           // done, 0…1
};

class Progress {
public:
    Progress(asio::io_context &io, ProgressMode mode, std::chrono::nanoseconds interval,
             std::function<ProgressNow()> now);
    void start();
    void stop(); // ends the line on a terminal

private:
    void tick();
    void print(const ProgressNow &now, double seconds);

    ProgressMode mode_;
    std::chrono::nanoseconds interval_;
    std::function<ProgressNow()> measure_;
    asio::steady_timer timer_;
    ProgressNow before_;
    std::chrono::steady_clock::time_point since_{}, began_{};
    bool line_open_ = false;
};

} // namespace iscsiscope::testbed::initiator
