// SPDX-License-Identifier: GPL-2.0-or-later
// One connection of a session: TCP, login, then PDUs of the full feature phase with StatSN kept.
#pragma once

#include "sample-captures/testbed/initiator/session/command_window.h"
#include "sample-captures/testbed/initiator/session/login_exchange.h"
#include "sample-captures/testbed/initiator/session/pdu_channel.h"

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
    virtual void on_first_byte(const SendNote &, std::int64_t ns) = 0;
    virtual void on_last_byte(const SendNote &, std::int64_t ns) = 0;

protected:
    ~ConnectionOwner() = default;
};

struct Portal {
    std::string host;
    std::uint16_t port = 3260;
};

struct ConnectionSettings {
    std::string host;
    std::uint16_t port = 3260;
    SocketSettings socket;
    bool legacy_send = false;
    std::chrono::nanoseconds login_timeout = std::chrono::seconds(15); // connecting and login, each
};

class Connection final : private PduChannel::Handler {
public:
    // owner outlives the connection. index is the CID.
    Connection(asio::io_context &io, ConnectionOwner &owner, const ConnectionSettings &settings,
               unsigned index);

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
    PduChannel &channel() { return channel_; }

private:
    enum class Phase : std::uint8_t { connecting, login, full_feature, closed };
    void on_connected() override;
    void on_pdu(const IncomingPdu &) override;
    void on_lost(const std::string &reason) override;
    void on_first_byte(const SendNote &note, std::int64_t ns) override { owner_.on_first_byte(note, ns); }
    void on_last_byte(const SendNote &note, std::int64_t ns) override { owner_.on_last_byte(note, ns); }
    void take_step(LoginExchange::Step step);

    asio::io_context &io_;
    ConnectionOwner &owner_;
    ConnectionSettings settings_;
    unsigned index_;
    Phase phase_ = Phase::connecting;
    PduChannel channel_;
    asio::steady_timer login_timer_;
    std::optional<LoginExchange> exchange_;
    NegotiationResult negotiated_;
    OperationalParameters keys_;
    StatSn exp_stat_sn_;
    bool stat_sn_known_ = false;
};

} // namespace iscsiscope::testbed::initiator
