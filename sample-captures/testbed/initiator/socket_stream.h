// SPDX-License-Identifier: GPL-2.0-or-later
// The baseline of the experiments: a plain TCP stream without iSCSI, and the program that serves it.
//
// On the wire: the client sends 24 bytes: "ISSTREAM", a byte that is 1 if the server is to send, seven
// zero bytes, the number of bytes to send (big-endian, 0: until the client closes). A server that
// receives answers the end of the stream with the number of bytes it got (8 bytes, big-endian).
#pragma once

#include "sample-captures/testbed/initiator/options.h"
#include "sample-captures/testbed/initiator/workload/run_report.h"

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace iscsiscope::testbed::initiator {

inline constexpr std::size_t stream_hello_size = 24;

// Runs options.connections streams at once.
class StreamClient {
public:
    StreamClient(asio::io_context &io, const Options &options);
    ~StreamClient();
    // Stops the io_context when all streams have ended.
    void start();
    void interrupt();
    const StreamReport &report() const { return report_; }

private:
    struct Stream;
    void end_of_time();
    void connect(Stream &stream);
    void send_hello(Stream &stream);
    void send_more(Stream &stream);
    void receive_more(Stream &stream);
    void receive_count(Stream &stream);
    void end(Stream &stream, const std::string &error, int exit_code);

    asio::io_context &io_;
    const Options &options_;
    bool sends_;
    std::vector<std::unique_ptr<Stream>> streams_;
    std::vector<std::byte> block_; // what is sent
    asio::steady_timer timer_;
    std::size_t running_ = 0;
    bool interrupted_ = false;
    bool time_is_up_ = false;
    std::int64_t start_ns_ = 0;
    StreamReport report_;
};

// Serves any number of streams, one after the other and at once.
class StreamServer {
public:
    StreamServer(asio::io_context &io, const Options &options);
    ~StreamServer();
    // A sentence where it cannot listen; else it listens, and `port` is the port taken.
    std::string start(std::uint16_t &port);

private:
    struct Guest;
    void accept();
    void greet(const std::shared_ptr<Guest> &guest);
    void drain(const std::shared_ptr<Guest> &guest);
    void pour(const std::shared_ptr<Guest> &guest);
    void answer(const std::shared_ptr<Guest> &guest);

    const Options &options_;
    asio::ip::tcp::acceptor acceptor_;
    std::vector<std::byte> block_;
};

} // namespace iscsiscope::testbed::initiator
