// SPDX-License-Identifier: GPL-2.0-or-later
// TCP socket options of both ends of the testbed, and the names of connections. Functions that set options
// return an empty string, or a sentence that says which option the kernel refused and why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace iscsiscope::testbed {

// system: as the kernel decides; quick: TCP_QUICKACK on; delayed: TCP_QUICKACK off.
enum class AckMode : std::uint8_t { system, quick, delayed };

struct SocketSettings {
    // Bytes as given to setsockopt (the kernel reserves twice as much); without a value: the system's own.
    std::optional<std::uint32_t> send_buffer;    // SO_SNDBUF
    std::optional<std::uint32_t> receive_buffer; // SO_RCVBUF
    std::optional<std::uint32_t> window_clamp;   // TCP_WINDOW_CLAMP
    std::string congestion;                      // "reno", "cubic", …; empty: the system's own
    bool no_delay = true;                        // false: Nagle's algorithm
    AckMode ack_mode = AckMode::system;
    std::uint64_t pacing_rate = 0; // SO_MAX_PACING_RATE, bytes a second; 0: none
};

// Call before connect or listen, because the window scale is agreed from the receive buffer. A buffer that
// the system would cut to its limit is refused.
std::string apply_before_connect(int fd, const SocketSettings &settings);
// Call after connect, for what a connection loses on the way to the established state.
std::string apply_connected(int fd, const SocketSettings &settings);
// Call for a socket that accept returned: not every option of a listener is inherited.
std::string apply_accepted(int fd, const SocketSettings &settings);
// The kernel leaves quick or delayed ACK mode by itself, so call this after every read.
void renew_ack_mode(int fd, AckMode mode);

// "address:port" of this end of a socket, "[address]:port" with IPv6. Empty if the kernel has no address.
std::string local_address(int fd);
// "address:port>address:port" of a connected socket, the initiator (this end if `initiator_here`) first:
// the name that truth rows use (README.md). Empty if the socket is not connected.
std::string connection_name(int fd, bool initiator_here);

} // namespace iscsiscope::testbed
