// SPDX-License-Identifier: GPL-2.0-or-later
// What a run counts.
#pragma once

#include "analyzer/base/histogram.h"

#include <cstdint>
#include <string>
#include <vector>

namespace iscsiscope::testbed::initiator {

struct ConnectionFigures {
    std::uint64_t commands = 0;
    std::uint64_t bytes = 0;
};

struct RunFigures {
    std::uint64_t requests = 0;                          // whole blocks
    std::uint64_t read_commands = 0, write_commands = 0; // a mirrored write counts once
    std::uint64_t bytes_read = 0, bytes_written = 0;     // a mirrored write counts once
    // Nanoseconds of a command from submitted to ended (on every mirror), and of a whole block.
    Histogram read_latency, write_latency, request_latency;
    std::uint64_t aborted = 0, retried = 0, errors = 0; // commands
    std::string first_error;
    std::int64_t start_ns = 0, end_ns = 0;                   // CLOCK_REALTIME; end: the last command's
    std::vector<std::vector<ConnectionFigures>> connections; // by target, by connection

    std::uint64_t commands() const { return read_commands + write_commands; }
    std::uint64_t bytes() const { return bytes_read + bytes_written; }
    double seconds() const { return end_ns > start_ns ? static_cast<double>(end_ns - start_ns) / 1e9 : 0.0; }
};

} // namespace iscsiscope::testbed::initiator
