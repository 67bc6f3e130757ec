// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/socket_stream.h"

#include "analyzer/iscsi/codec/wire.h"
#include "sample-captures/testbed/initiator/workload/data_pattern.h"

#include <asio/read.hpp>
#include <asio/write.hpp>

#include <algorithm>
#include <cstring>

namespace iscsiscope::testbed::initiator {

struct StreamServer::Guest {
    explicit Guest(asio::ip::tcp::socket accepted) : socket(std::move(accepted)) {}
    asio::ip::tcp::socket socket;
    std::array<std::byte, stream_hello_size> hello{};
    std::array<std::byte, 8> count{};
    std::vector<std::byte> in;
    std::uint64_t limit = 0, moved = 0;
};

StreamServer::StreamServer(asio::io_context &io, const Options &options) : options_(options), acceptor_(io) {
    block_.resize(std::max<std::uint64_t>((options_.block + 511) / 512 * 512, 512));
    fill_pattern(block_, 512, 0, 1, options_.seed);
}

StreamServer::~StreamServer() = default;

std::string StreamServer::start(std::uint16_t &port) {
    asio::error_code error;
    const auto address = asio::ip::make_address(options_.serve_address, error);
    if (error)
        return "--serve-address: " + options_.serve_address + " is not an address";
    const asio::ip::tcp::endpoint endpoint(address, options_.stream_port);
    const auto where = options_.serve_address + ":" + std::to_string(options_.stream_port);
    acceptor_.open(endpoint.protocol(), error);
    if (error)
        return where + ": " + error.message();
    acceptor_.set_option(asio::ip::tcp::acceptor::reuse_address(true), error);
    // Buffers and window before listening: accepted sockets inherit them, and the scale is agreed then.
    if (std::string refused = apply_before_connect(acceptor_.native_handle(), options_.socket);
        !refused.empty())
        return refused;
    acceptor_.bind(endpoint, error);
    if (!error)
        acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error)
        return where + ": " + error.message();
    port = acceptor_.local_endpoint(error).port();
    accept();
    return {};
}

void StreamServer::accept() {
    acceptor_.async_accept([this](const asio::error_code &error, asio::ip::tcp::socket socket) {
        if (error == asio::error::operation_aborted)
            return;
        if (!error) {
            apply_connected(socket.native_handle(), options_.socket);
            greet(std::make_shared<Guest>(std::move(socket)));
        }
        accept();
    });
}

void StreamServer::greet(const std::shared_ptr<Guest> &guest) {
    asio::async_read(guest->socket, asio::buffer(guest->hello),
                     [this, guest](const asio::error_code &error, std::size_t) {
                         if (error || std::memcmp(guest->hello.data(), "ISSTREAM", 8) != 0)
                             return; // not one of ours: closed
                         guest->limit = wire::load64(&guest->hello[16]);
                         if (guest->hello[8] != std::byte{0})
                             return pour(guest);
                         guest->in.resize(std::size_t{256} << 10);
                         drain(guest);
                     });
}

void StreamServer::drain(const std::shared_ptr<Guest> &guest) {
    guest->socket.async_read_some(asio::buffer(guest->in),
                                  [this, guest](const asio::error_code &error, std::size_t got) {
                                      guest->moved += got;
                                      if (error == asio::error::eof)
                                          return answer(guest);
                                      if (error)
                                          return;
                                      renew_ack_mode(guest->socket.native_handle(), options_.socket.ack_mode);
                                      drain(guest);
                                  });
}

void StreamServer::answer(const std::shared_ptr<Guest> &guest) {
    wire::store64(guest->count.data(), guest->moved);
    asio::async_write(guest->socket, asio::buffer(guest->count),
                      [guest](const asio::error_code &, std::size_t) {}); // then it is closed
}

void StreamServer::pour(const std::shared_ptr<Guest> &guest) {
    std::uint64_t next = block_.size();
    if (guest->limit > 0)
        next = std::min(next, guest->limit - guest->moved);
    if (next == 0) {
        // Closed by the client's end, so that no byte under way is reset.
        guest->in.resize(512);
        return drain(guest);
    }
    asio::async_write(guest->socket, asio::buffer(block_.data(), static_cast<std::size_t>(next)),
                      [this, guest](const asio::error_code &error, std::size_t sent) {
                          guest->moved += sent;
                          if (!error)
                              pour(guest);
                      });
}

} // namespace iscsiscope::testbed::initiator
