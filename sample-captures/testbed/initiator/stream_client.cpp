// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/socket_stream.h"

#include "analyzer/iscsi/codec/wire.h"
#include "sample-captures/testbed/common/clock.h"
#include "sample-captures/testbed/initiator/workload/data_pattern.h"

#include <asio/read.hpp>
#include <asio/write.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace iscsiscope::testbed::initiator {

using SteadyDuration = std::chrono::steady_clock::duration;

struct StreamClient::Stream {
    explicit Stream(asio::io_context &io) : socket(io), resolver(io) {}
    asio::ip::tcp::socket socket;
    asio::ip::tcp::resolver resolver;
    std::array<std::byte, stream_hello_size> hello{};
    std::array<std::byte, 8> count{};
    std::vector<std::byte> in;
    std::uint64_t limit = 0; // bytes; 0: none
    std::uint64_t moved = 0;
    std::size_t index = 0;
    bool over = false;
};

StreamClient::StreamClient(asio::io_context &io, const Options &options)
    : io_(io), options_(options), sends_(!only_reads(options.workload)), timer_(io) {
    // At least one block of pattern, in whole blocks of 512 for the pattern's sake.
    block_.resize(std::max<std::uint64_t>((options_.block + 511) / 512 * 512, 512));
    fill_pattern(block_, 512, 0, 1, options_.seed);
    block_.resize(options_.block);
    report_.sends = sends_;
    report_.peer = options_.stream_host + ":" + std::to_string(options_.stream_port);
    report_.bytes.resize(options_.connections, 0);
}

StreamClient::~StreamClient() = default;

void StreamClient::start() {
    start_ns_ = realtime_ns();
    running_ = options_.connections;
    const std::uint64_t total = options_.size.value_or(0);
    for (unsigned i = 0; i < options_.connections; ++i) {
        streams_.push_back(std::make_unique<Stream>(io_));
        Stream &stream = *streams_.back();
        stream.index = i;
        stream.limit = total / options_.connections + (i < total % options_.connections ? 1 : 0);
        if (total > 0 && stream.limit == 0) {
            end(stream, {}, 0);
            continue;
        }
        connect(stream);
    }
    if (options_.duration && options_.duration->count() > 0) {
        timer_.expires_after(std::chrono::duration_cast<SteadyDuration>(*options_.duration));
        timer_.async_wait([this](const asio::error_code &error) {
            if (!error)
                end_of_time();
        });
    }
}

void StreamClient::end_of_time() {
    time_is_up_ = true;
    // Sending streams end after the write under way and wait for the server's count.
    if (sends_)
        return;
    for (const auto &stream : streams_)
        end(*stream, {}, 0);
}

void StreamClient::interrupt() {
    interrupted_ = true;
    const bool meant = options_.duration && options_.duration->count() == 0;
    for (const auto &stream : streams_)
        end(*stream, meant ? "" : "interrupted", meant ? 0 : 1);
}

void StreamClient::connect(Stream &stream) {
    stream.resolver.async_resolve(
        options_.stream_host, std::to_string(options_.stream_port),
        [this, &stream](const asio::error_code &error, const asio::ip::tcp::resolver::results_type &found) {
            if (stream.over)
                return;
            if (error || found.empty())
                return end(stream, "cannot resolve the host name: " + error.message(), 2);
            asio::error_code failed;
            const asio::ip::tcp::endpoint endpoint = *found.begin();
            stream.socket.open(endpoint.protocol(), failed);
            std::string refused = failed ? failed.message() : std::string{};
            if (refused.empty())
                refused = apply_before_connect(stream.socket.native_handle(), options_.socket);
            if (!refused.empty())
                return end(stream, refused, 2);
            stream.socket.async_connect(endpoint, [this, &stream](const asio::error_code &result) {
                if (stream.over)
                    return;
                if (result)
                    return end(stream, "cannot connect: " + result.message(), 2);
                apply_connected(stream.socket.native_handle(), options_.socket);
                send_hello(stream);
            });
        });
}

void StreamClient::send_hello(Stream &stream) {
    std::memcpy(stream.hello.data(), "ISSTREAM", 8);
    stream.hello[8] = std::byte(sends_ ? 0 : 1);
    wire::store64(&stream.hello[16], stream.limit);
    asio::async_write(stream.socket, asio::buffer(stream.hello),
                      [this, &stream](const asio::error_code &error, std::size_t) {
                          if (stream.over)
                              return;
                          if (error)
                              return end(stream, "lost the server: " + error.message(), 1);
                          if (sends_)
                              return send_more(stream);
                          stream.in.resize(std::max<std::size_t>(options_.block, 65536));
                          receive_more(stream);
                      });
}

void StreamClient::send_more(Stream &stream) {
    std::uint64_t next = block_.size();
    if (stream.limit > 0)
        next = std::min(next, stream.limit - stream.moved);
    if (next == 0 || time_is_up_) {
        asio::error_code ignored;
        stream.socket.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
        return receive_count(stream);
    }
    asio::async_write(stream.socket, asio::buffer(block_.data(), static_cast<std::size_t>(next)),
                      [this, &stream](const asio::error_code &error, std::size_t sent) {
                          if (stream.over)
                              return;
                          stream.moved += sent;
                          if (error)
                              return end(stream, "lost the server: " + error.message(), 1);
                          send_more(stream);
                      });
}

void StreamClient::receive_more(Stream &stream) {
    stream.socket.async_read_some(
        asio::buffer(stream.in), [this, &stream](const asio::error_code &error, std::size_t got) {
            if (stream.over)
                return;
            stream.moved += got;
            const bool complete = stream.limit > 0 && stream.moved >= stream.limit;
            if (error || complete)
                return end(stream, complete ? "" : "lost the server: " + error.message(), complete ? 0 : 1);
            renew_ack_mode(stream.socket.native_handle(), options_.socket.ack_mode);
            receive_more(stream);
        });
}

void StreamClient::receive_count(Stream &stream) {
    asio::async_read(stream.socket, asio::buffer(stream.count),
                     [this, &stream](const asio::error_code &error, std::size_t) {
                         if (stream.over)
                             return;
                         if (error)
                             return end(stream, "lost the server: " + error.message(), 1);
                         const std::uint64_t got = wire::load64(stream.count.data());
                         if (got != stream.moved)
                             return end(stream,
                                        "the server received " + std::to_string(got) + " bytes of " +
                                            std::to_string(stream.moved),
                                        1);
                         end(stream, {}, 0);
                     });
}

void StreamClient::end(Stream &stream, const std::string &error, int exit_code) {
    if (stream.over)
        return;
    stream.over = true;
    report_.bytes[stream.index] = stream.moved;
    report_.seconds = static_cast<double>(realtime_ns() - start_ns_) / 1e9;
    report_.exit_code = std::max(report_.exit_code, exit_code);
    if (!error.empty()) {
        report_.errors.push_back(error);
        std::fprintf(stderr, "initiator: %s: %s\n", report_.peer.c_str(), error.c_str());
    }
    asio::error_code ignored;
    stream.socket.close(ignored);
    stream.resolver.cancel();
    if (--running_ == 0)
        io_.stop();
}

} // namespace iscsiscope::testbed::initiator
