// SPDX-License-Identifier: GPL-2.0-or-later
// The parts of `iscsiscope-testbed stream`: its options, its listener, its clients.
#pragma once

#include "sample-captures/testbed/common/socket_settings.h"

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <string>

namespace iscsiscope::testbed::run {

// What a listener does with a connection: reads until its end; sends back what it reads; answers each
// request for N bytes with N bytes; sends until the peer closes.
enum class Listener : std::uint8_t { reads, echoes, answers, sends };

struct StreamOptions {
    std::string address;    // to listen on; empty: every IPv4 address
    std::uint16_t port = 0; // to listen on; 0: any free one
    std::string to;         // HOST:PORT to connect to
    Listener listener = Listener::reads;
    unsigned connections = 1;             // of send and receive, each a stream of its own
    std::uint64_t bytes = 0;              // of all connections, or of a turn; 0: no bound
    std::int64_t time_ns = 0;             // 0: no bound; the first bound ends a stream
    std::size_t block = 131072;           // bytes of one send
    std::uint64_t count = 100;            // pings or turns
    std::int64_t interval_ns = 5'000'000; // between pings
    SocketSettings socket;
    std::string truth; // file for the row of the result; empty: none
};

// Bytes of a turn's request: the number of bytes wanted, big-endian.
inline constexpr std::size_t stream_request_size = 8;

// Set by SIGTERM and SIGINT once end_on_signals() was called: streams end, with their result.
extern volatile std::sig_atomic_t stream_end_requested;
void end_on_signals();

// Exit code 2; the sentence on standard error, with the reason of error (an errno) unless that is 0.
int stream_failed(const std::string &what, int error);
// Prints the row of the result and writes it to the truth file where there is one. Exit code.
int stream_finished(const std::string &row, const std::string &truth);
// False: the peer closed the connection, or errno says what went wrong.
bool read_all(int fd, void *to, std::size_t size);

// Each prints one JSON line of results and returns the exit code.
int stream_listen(const StreamOptions &);
int stream_send(const StreamOptions &);
int stream_receive(const StreamOptions &);
int stream_ping(const StreamOptions &);
int stream_turns(const StreamOptions &);

} // namespace iscsiscope::testbed::run
