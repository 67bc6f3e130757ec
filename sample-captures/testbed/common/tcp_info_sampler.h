// SPDX-License-Identifier: GPL-2.0-or-later
// TCP_INFO of every connection of a program, read by a thread of its own at a steady pace, kept in
// binary where a value changed, and turned into truth rows after the run (README.md).
#pragma once

#include "sample-captures/testbed/common/truth_file.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace iscsiscope::testbed {

class TcpInfoSampler {
public:
    // base: the period up to 8 connections; N connections are read every ⌈N/8⌉ × base.
    // No thread runs before the first add().
    explicit TcpInfoSampler(std::chrono::nanoseconds base = std::chrono::milliseconds(1));
    ~TcpInfoSampler(); // stops
    TcpInfoSampler(const TcpInfoSampler &) = delete;
    TcpInfoSampler &operator=(const TcpInfoSampler &) = delete;

    // Starts to sample a connected TCP socket; the caller keeps it open until remove() returns.
    // name stands in each row as "connection" ("127.0.0.1:40000>127.0.0.1:3260", initiator first).
    // Returns the handle for remove(). Any thread.
    std::uint64_t add(int fd, std::string name);
    // Takes a last sample. Must be called before the socket is closed. Any thread.
    void remove(std::uint64_t handle);

    // Ends the thread; then rows may be written. add() must not be called again.
    void stop();
    // After stop(): all rows, oldest first, and the "tcp_info_sampling" row. side: "initiator" or
    // "target".
    void write(TruthFile &, std::string_view side) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace iscsiscope::testbed
