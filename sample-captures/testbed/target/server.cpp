// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/server.h"

#include "sample-captures/testbed/common/clock.h"
#include "sample-captures/testbed/target/descriptors.h"
#include "sample-captures/testbed/target/protocol/target.h"
#include "sample-captures/testbed/wire/tcp_link.h"

#include <sys/socket.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <fmt/format.h>

namespace iscsiscope::testbed {
namespace {

using asio::ip::tcp;

constexpr std::size_t kib = 1024, mib = 1024 * kib;
// What waits to be sent on all connections. Each may have an eighth of what is left of it, within these
// bounds.
constexpr std::size_t output_of_all = 64 * mib, min_output = 16 * kib, max_output = 2 * mib;
// Reads of all connections; each takes at most an equal share, and not less than this.
constexpr std::size_t reads_of_all = 32 * mib, min_read = 16 * kib;
// A connection that is closing and whose initiator reads nothing ends after this time.
constexpr std::chrono::seconds linger(10);
constexpr std::size_t max_logins = 512;

class AsioTimer final : public Timer {
public:
    AsioTimer(asio::io_context &io, Moment when, std::function<void()> call) : timer_(io, when) {
        timer_.async_wait(
            [call = std::move(call), alive = std::weak_ptr<int>(alive_)](const asio::error_code &e) {
                // A timer that has expired but was destroyed before its turn must not call.
                if (!e && !alive.expired())
                    call();
            });
    }

private:
    std::shared_ptr<int> alive_ = std::make_shared<int>();
    asio::steady_timer timer_;
};

class AsioTimers final : public Timers {
public:
    explicit AsioTimers(asio::io_context &io) : io_(io) {}
    Moment now() const override { return std::chrono::steady_clock::now(); }
    TimerHandle at(Moment when, std::function<void()> call) override {
        return std::make_unique<AsioTimer>(io_, when, std::move(call));
    }
    void post(std::function<void()> call) override { asio::post(io_, std::move(call)); }

private:
    asio::io_context &io_;
};

class Server {
public:
    Server(const TargetConfig &config, LogicalUnits &units)
        : config_(config), truth_(config), timers_(io_), acceptor_(io_), signals_(io_, SIGINT, SIGTERM),
          ending_(io_), retry_(io_), target_(config, units, timers_, truth_) {}

    Status listen();
    void run();
    Status write_truth() { return truth_.write(); }
    std::string portal() { return local_address(acceptor_.native_handle()); }

private:
    void accept();
    void accept_failed(const asio::error_code &);
    bool make_room();
    void serve(tcp::socket socket);
    TcpLinkSettings link_settings();
    void end();

    const TargetConfig &config_;
    TruthLog truth_;        // outlives the links, which live until io_ ends
    std::size_t links_ = 0; // open, those that are closing included
    std::size_t max_links_ = 0;
    std::size_t waiting_ = 0; // to be sent on all of them, bytes of memory
    ReserveDescriptor reserve_;
    bool failing_ = false; // accept has failed and not gone well since
    asio::io_context io_{1};
    AsioTimers timers_;
    tcp::acceptor acceptor_;
    asio::signal_set signals_;
    asio::steady_timer ending_, retry_;
    Target target_;
};

Status Server::listen() {
    if (Status failure = truth_.open())
        return failure;
    asio::error_code e;
    const auto address = asio::ip::make_address(config_.address, e);
    if (e)
        return Failure{fmt::format("\"{}\" is not an IP address", config_.address)};
    const tcp::endpoint endpoint(address, config_.port);
    acceptor_.open(endpoint.protocol(), e);
    if (!e)
        acceptor_.set_option(tcp::acceptor::reuse_address(true), e);
    if (!e) {
        if (const std::string error = apply_before_connect(acceptor_.native_handle(), config_.sockets);
            !error.empty())
            return Failure{error};
    }
    if (!e)
        acceptor_.bind(endpoint, e);
    if (!e)
        acceptor_.listen(tcp::acceptor::max_listen_connections, e);
    if (e)
        return Failure{fmt::format("cannot listen on {}:{}: {}", config_.address, config_.port, e.message())};
    max_links_ = max_open_connections();
    target_.limit_logins(std::clamp<std::size_t>(max_links_ / 2, 1, max_logins));
    return std::nullopt;
}

void Server::accept() {
    acceptor_.async_accept([this](const asio::error_code &e, tcp::socket socket) {
        if (!acceptor_.is_open())
            return;
        if (e)
            return accept_failed(e);
        failing_ = false;
        if (make_room())
            serve(std::move(socket));
        accept();
    });
}

// Out of descriptors and the like. A login that is not complete makes room, or else the connection is turned
// away; where neither can be, the next attempt waits, so that nothing spins.
void Server::accept_failed(const asio::error_code &e) {
    if (!std::exchange(failing_, true))
        fmt::print(stderr, "cannot accept a connection: {}\n", e.message());
    if (target_.end_one_login("no file descriptor is free") || reserve_.turn_away(acceptor_.native_handle()))
        return asio::post(io_, [this] {
            if (acceptor_.is_open())
                accept();
        });
    retry_.expires_after(std::chrono::milliseconds(100));
    retry_.async_wait([this](const asio::error_code &stopped) {
        if (!stopped && acceptor_.is_open())
            accept();
    });
}

// For one more connection.
bool Server::make_room() {
    return links_ < max_links_ ||
           (target_.end_one_login("too many connections are open") && links_ < max_links_);
}

TcpLinkSettings Server::link_settings() {
    TcpLinkSettings settings;
    settings.end = LinkEnd::target;
    settings.ack_mode = config_.sockets.ack_mode;
    settings.legacy_send = config_.faults.legacy_send;
    settings.max_bytes_a_call = config_.sockets.send_buffer.value_or(settings.max_bytes_a_call);
    settings.reads_a_turn = 1;
    settings.gather_bytes = 64 * 1024;
    settings.read_size =
        std::clamp(reads_of_all / std::max<std::size_t>(links_, 1), min_read, settings.read_size);
    settings.waiting_of_all = &waiting_;
    settings.output_bound = [this] {
        const std::size_t left = output_of_all - std::min(waiting_, output_of_all);
        return std::clamp(left / 8, min_output, max_output);
    };
    settings.linger = linger;
    return settings;
}

void Server::serve(tcp::socket socket) {
    ++links_;
    if (const std::string error = apply_accepted(socket.native_handle(), config_.sockets); !error.empty())
        fmt::print(stderr, "{}\n", error);
    const std::string name = connection_name(socket.native_handle(), false);
    const std::shared_ptr<ConnectionRecord> record = truth_.connection();
    TcpInfoSampler *sampler = truth_.sampler(); // null where there is no record
    const std::uint64_t sampled = sampler != nullptr ? sampler->add(socket.native_handle(), name) : 0;
    if (record) {
        record->connection = name;
        record->start_ns = realtime_ns();
    }
    const auto ended = [this, record, sampler, sampled](const TcpLink &link, std::string_view reason) {
        --links_;
        if (record) {
            sampler->remove(sampled);
            record->end_ns = realtime_ns();
            record->end_reason = reason;
            record->bytes_received = link.bytes_received();
            record->bytes_sent = link.bytes_sent();
        }
        ::shutdown(link.descriptor(), SHUT_RDWR);
    };
    const auto link = std::make_shared<TcpLink>(std::move(socket), link_settings(), ended);
    link->start(target_.accept(link, record));
}

void Server::run() {
    signals_.async_wait([this](const asio::error_code &e, int) {
        if (!e)
            end();
    });
    accept();
    io_.run();
}

// What is queued gets a moment to leave; a peer that does not read cannot hold the target up.
void Server::end() {
    asio::error_code ignored;
    acceptor_.close(ignored);
    target_.end_all_sessions("the target is ending");
    ending_.expires_after(std::chrono::milliseconds(200));
    ending_.async_wait([this](const asio::error_code &) { io_.stop(); });
}

} // namespace

int serve(const TargetConfig &config, LogicalUnits &units) {
    Server server(config, units);
    if (const Status failure = server.listen()) {
        fmt::print(stderr, "target: {}\n", failure->message);
        return 2;
    }
    fmt::print("ready {} {}\n", server.portal(), config.name);
    std::fflush(stdout);
    server.run();
    if (const Status failure = server.write_truth()) {
        fmt::print(stderr, "target: {}\n", failure->message);
        return 1;
    }
    return 0;
}

} // namespace iscsiscope::testbed
