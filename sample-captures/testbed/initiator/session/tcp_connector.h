// SPDX-License-Identifier: GPL-2.0-or-later
// Makes one TCP connection: resolves the host name, sets the socket's options, connects within a time.
#pragma once

#include "sample-captures/testbed/common/socket_settings.h"

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace iscsiscope::testbed::initiator {

class TcpConnector {
public:
    explicit TcpConnector(asio::io_context &io) : resolver_(io), socket_(io), timer_(io) {}

    // Once. connected is called from the event loop with an empty error and the socket, or with a sentence
    // that says what failed; not after cancel(). The connector must outlive the call or be cancelled.
    using Connected = std::function<void(const std::string &error, asio::ip::tcp::socket socket)>;
    void connect(const std::string &host, std::uint16_t port, const SocketSettings &settings,
                 std::chrono::nanoseconds timeout, Connected connected);
    void cancel();

private:
    void open(const asio::ip::tcp::endpoint &endpoint);
    void end(const std::string &error);

    asio::ip::tcp::resolver resolver_;
    asio::ip::tcp::socket socket_;
    asio::steady_timer timer_;
    SocketSettings settings_;
    Connected connected_; // empty: nothing is under way
};

} // namespace iscsiscope::testbed::initiator
