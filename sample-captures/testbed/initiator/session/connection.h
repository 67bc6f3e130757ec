// SPDX-License-Identifier: GPL-2.0-or-later
// One connection of a session: TCP, login, then PDUs of the full feature phase with StatSN kept.
#pragma once

#include "sample-captures/testbed/initiator/session/command_window.h"
#include "sample-captures/testbed/initiator/session/login_exchange.h"
#include "sample-captures/testbed/initiator/session/tcp_connector.h"
#include "sample-captures/testbed/wire/tcp_link.h"

#include <asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace iscsiscope::testbed::initiator {

class Connection;

class ConnectionOwner {
public:
    virtual CommandWindow &window() = 0; // session-wide
    virtual void on_logged_in(Connection &) = 0;
    virtual void on_full_feature_pdu(Connection &, const IncomingPdu &) = 0;
    // Once; during login the reason is that of the refusal.
    virtual void on_connection_lost(Connection &, const std::string &reason) = 0;

    virtual ~ConnectionOwner() = default;
};

struct Portal {
    std::string host;
    std::uint16_t port = 3260;
};

struct ConnectionSettings {
    std::string host;
    std::uint16_t port = 3260;
    SocketSettings socket;
    TcpLinkSettings link;
    std::chrono::nanoseconds login_timeout = std::chrono::seconds(15); // connecting and login, each
};

// States: connecting (TCP); login; full_feature; closed (by close(), a failure, or the peer).
class Connection final : private PduLinkEvents {
public:
    // owner outlives the connection. index is the CID.
    Connection(asio::io_context &io, ConnectionOwner &owner, const ConnectionSettings &settings,
               unsigned index);
    ~Connection() override;
    Connection(const Connection &) = delete;
    Connection &operator=(const Connection &) = delete;

    // Connects and logs in; ends in on_logged_in or on_connection_lost.
    void open(LoginSettings login, std::uint16_t tsih, const OperationalParameters &session);
    void close();
    // A fault of the peer found by the owner: as if the connection had been lost for this reason.
    // Deferred; no PDU is delivered from now on.
    void fail(const std::string &reason);

    unsigned index() const { return index_; }
    bool in_full_feature() const { return phase_ == Phase::full_feature; }
    bool finished() const { return phase_ == Phase::closed; }
    const OperationalParameters &keys() const { return keys_; }
    const NegotiationResult &negotiated() const { return negotiated_; }
    std::uint16_t tsih() const { return exchange_ ? exchange_->tsih() : std::uint16_t{0}; }
    StatSn expected_stat_sn() const { return exp_stat_sn_; }
    // There is a link from the state login on; its name and its counters stay when it has ended.
    TcpLink &link() { return *link_; }
    bool link_is_open() const { return link_ && link_->is_open(); }
    std::string name() const { return link_ ? link_->name() : std::string{}; } // of truth rows

private:
    enum class Phase : std::uint8_t { connecting, login, full_feature, closed };
    void on_connected(asio::ip::tcp::socket socket);
    void on_pdu(const IncomingPdu &) override;
    void on_link_down(std::string_view reason) override;
    void take_step(LoginExchange::Step step);

    asio::io_context &io_;
    ConnectionOwner &owner_;
    ConnectionSettings settings_;
    unsigned index_;
    Phase phase_ = Phase::connecting;
    TcpConnector connector_;
    std::shared_ptr<TcpLink> link_;
    asio::steady_timer login_timer_;
    std::optional<LoginExchange> exchange_;
    NegotiationResult negotiated_;
    OperationalParameters keys_;
    StatSn exp_stat_sn_;
    bool stat_sn_known_ = false;
};

} // namespace iscsiscope::testbed::initiator
