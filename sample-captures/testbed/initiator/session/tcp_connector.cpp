// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/session/tcp_connector.h"

#include <utility>

namespace iscsiscope::testbed::initiator {

void TcpConnector::connect(const std::string &host, std::uint16_t port, const SocketSettings &settings,
                           std::chrono::nanoseconds timeout, Connected connected) {
    settings_ = settings;
    connected_ = std::move(connected);
    timer_.expires_after(std::chrono::duration_cast<std::chrono::steady_clock::duration>(timeout));
    timer_.async_wait([this](const asio::error_code &error) {
        if (!error && connected_)
            end("no connection in time");
    });
    resolver_.async_resolve(
        host, std::to_string(port),
        [this](const asio::error_code &error, const asio::ip::tcp::resolver::results_type &found) {
            if (error == asio::error::operation_aborted || !connected_)
                return;
            if (error || found.empty())
                return end("cannot resolve the host name: " + error.message());
            // The first address only: a portal is one address, and trying others would put connections
            // of one session on different paths without being configured so.
            open(*found.begin());
        });
}

void TcpConnector::open(const asio::ip::tcp::endpoint &endpoint) {
    asio::error_code failed;
    socket_.open(endpoint.protocol(), failed);
    if (failed)
        return end("cannot make a socket: " + failed.message());
    if (const std::string refused = apply_before_connect(socket_.native_handle(), settings_);
        !refused.empty())
        return end(refused);
    socket_.async_connect(endpoint, [this](const asio::error_code &error) {
        if (error == asio::error::operation_aborted || !connected_)
            return;
        if (error)
            return end("cannot connect: " + error.message());
        end(apply_connected(socket_.native_handle(), settings_));
    });
}

void TcpConnector::end(const std::string &error) {
    const Connected connected = std::exchange(connected_, nullptr);
    asio::ip::tcp::socket socket = std::move(socket_);
    cancel();
    connected(error, std::move(socket));
}

void TcpConnector::cancel() {
    connected_ = nullptr;
    timer_.cancel();
    resolver_.cancel();
    asio::error_code ignored;
    socket_.close(ignored);
}

} // namespace iscsiscope::testbed::initiator
