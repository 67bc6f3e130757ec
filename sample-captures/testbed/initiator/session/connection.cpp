// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/session/connection.h"

#include <asio/post.hpp>

namespace iscsiscope::testbed::initiator {

namespace {
constexpr InitiatorTaskTag login_tag{0}; // nothing else is out during login
}

Connection::Connection(asio::io_context &io, ConnectionOwner &owner, const ConnectionSettings &settings,
                       unsigned index)
    : io_(io), owner_(owner), settings_(settings), index_(index),
      channel_(io, *this, settings.socket, settings.legacy_send), login_timer_(io) {}

void Connection::open(LoginSettings login, std::uint16_t tsih, const OperationalParameters &session) {
    exchange_.emplace(std::move(login), tsih, session);
    channel_.connect(settings_.host, settings_.port, settings_.login_timeout);
}

void Connection::close() {
    phase_ = Phase::closed;
    login_timer_.cancel();
    channel_.close();
}

void Connection::fail(const std::string &reason) {
    if (phase_ == Phase::closed)
        return;
    phase_ = Phase::closed;
    login_timer_.cancel();
    asio::post(io_, [this, reason] {
        owner_.on_connection_lost(*this, reason);
        channel_.close();
    });
}

void Connection::on_connected() {
    phase_ = Phase::login;
    login_timer_.expires_after(
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(settings_.login_timeout));
    login_timer_.async_wait([this](const asio::error_code &error) {
        if (!error && phase_ == Phase::login)
            fail("the target does not finish the login in time");
    });
    take_step(exchange_->begin());
}

void Connection::take_step(LoginExchange::Step step) {
    switch (step.kind) {
    case LoginExchange::Step::Kind::failed:
        return fail(step.error);
    case LoginExchange::Step::Kind::done:
        login_timer_.cancel();
        negotiated_ = exchange_->result();
        keys_ = negotiated_.parameters;
        channel_.set_digests({keys_.header_digest_crc32c, keys_.data_digest_crc32c});
        channel_.set_receive_limit(std::max(keys_.max_recv_data_segment_length_initiator, 8192U));
        phase_ = Phase::full_feature;
        return owner_.on_logged_in(*this);
    case LoginExchange::Step::Kind::send:
        break;
    }
    step.request.initiator_task_tag = login_tag;
    step.request.cmd_sn = owner_.window().next();
    step.request.exp_stat_sn = exp_stat_sn_;
    auto text = std::make_shared<std::vector<std::byte>>(std::move(step.text));
    channel_.send(step.request.encode(), *text, text, {});
}

void Connection::on_pdu(const IncomingPdu &pdu) {
    if (phase_ == Phase::closed)
        return;
    // The first answer sets the numbering (RFC 7143 section 11.13.4).
    if (pdu.header.consumes_stat_sn()) {
        const StatSn following = pdu.header.stat_sn() + 1;
        exp_stat_sn_ = stat_sn_known_ ? newer(exp_stat_sn_, following) : following;
        stat_sn_known_ = true;
    }
    if (phase_ == Phase::full_feature)
        return owner_.on_full_feature_pdu(*this, pdu);
    if (pdu.header.opcode() == Opcode::reject)
        return fail("the target rejects the login");
    const auto response = LoginResponse::parse(pdu.header);
    if (!response)
        return fail("the target answers the login with something else");
    if (response->status_class == 0)
        owner_.window().update(response->exp_cmd_sn, response->max_cmd_sn);
    take_step(exchange_->on_response(*response, pdu.data));
}

void Connection::on_lost(const std::string &reason) {
    if (phase_ == Phase::closed)
        return;
    phase_ = Phase::closed;
    login_timer_.cancel();
    owner_.on_connection_lost(*this, reason);
}

} // namespace iscsiscope::testbed::initiator
