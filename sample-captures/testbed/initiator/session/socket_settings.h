// SPDX-License-Identifier: GPL-2.0-or-later
// The TCP knobs of a connection, set on the socket itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace iscsiscope::testbed::initiator {

enum class AckMode : std::uint8_t { system, quick, delayed };

struct SocketSettings {
    // Bytes as given to setsockopt (the kernel books twice as much); nothing: the system's own.
    std::optional<std::uint32_t> send_buffer;
    std::optional<std::uint32_t> receive_buffer;
    std::optional<std::uint32_t> window_clamp; // bytes, TCP_WINDOW_CLAMP
    std::string congestion;                    // "reno", "cubic", …; empty: the system's own
    bool no_delay = true;                      // false: Nagle's algorithm
    AckMode ack_mode = AckMode::system;
    std::uint64_t pacing_rate = 0; // bytes a second, SO_MAX_PACING_RATE; 0: none
    // After each read_pause_every bytes the program takes nothing for read_pause: the window closes.
    std::chrono::nanoseconds read_pause{0};
    std::uint64_t read_pause_every = 262144;
};

// Before connect or listen: buffers must stand before the window scale is agreed. A sentence where the
// kernel refuses or gives less than asked; empty: done.
std::string apply_before_connect(int fd, const SocketSettings &settings);
// After connect or accept.
std::string apply_connected(int fd, const SocketSettings &settings);
// The kernel leaves quick or delayed ACK mode by itself, so it is set again after every read.
void renew_ack_mode(int fd, AckMode mode);

// "address:port>address:port" of a connected socket, the initiator (this end if `initiator_here`)
// first: the name that truth rows use (truth/README.md). Empty if it cannot be told.
std::string connection_name(int fd, bool initiator_here);

} // namespace iscsiscope::testbed::initiator
