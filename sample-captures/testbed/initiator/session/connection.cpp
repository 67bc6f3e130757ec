// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/session/connection.h"

#include <asio/post.hpp>

namespace iscsiscope::testbed::initiator {

namespace {
constexpr InitiatorTaskTag login_tag{0}; // nothing else is out during login
}

Connection::Connection(asio::io_context &io, ConnectionOwner &owner, const ConnectionSettings &settings,
                       unsigned index)
    : io_(io), owner_(owner), settings_(settings), index_(index), connector_(io), login_timer_(io) {
    settings_.link.ack_mode = settings_.socket.ack_mode;
}

Connection::~Connection() {
    close();
}

void Connection::open(LoginSettings login, std::uint16_t tsih, const OperationalParameters &session) {
    exchange_.emplace(std::move(login), tsih, session);
    connector_.connect(settings_.host, settings_.port, settings_.socket, settings_.login_timeout,
                       [this](const std::string &error, asio::ip::tcp::socket socket) {
                           if (error.empty())
                               on_connected(std::move(socket));
                           else
                               on_link_down(error);
                       });
}

void Connection::close() {
    phase_ = Phase::closed;
    login_timer_.cancel();
    connector_.cancel();
    if (link_)
        link_->close("closed by the initiator");
}

void Connection::fail(const std::string &reason) {
    if (phase_ == Phase::closed)
        return;
    phase_ = Phase::closed;
    login_timer_.cancel();
    asio::post(io_, [this, reason] {
        owner_.on_connection_lost(*this, reason);
        close();
    });
}

void Connection::on_connected(asio::ip::tcp::socket socket) {
    phase_ = Phase::login;
    link_ = std::make_shared<TcpLink>(std::move(socket), settings_.link);
    link_->start(*this);
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
        link_->set_digests({keys_.header_digest_crc32c, keys_.data_digest_crc32c});
        link_->limit_data_segment(std::max(keys_.max_recv_data_segment_length_initiator, 8192U));
        phase_ = Phase::full_feature;
        return owner_.on_logged_in(*this);
    case LoginExchange::Step::Kind::send:
        break;
    }
    step.request.initiator_task_tag = login_tag;
    step.request.cmd_sn = owner_.window().next();
    step.request.exp_stat_sn = exp_stat_sn_;
    auto text = std::make_shared<std::vector<std::byte>>(std::move(step.text));
    OutgoingPdu out;
    out.header = step.request.encode();
    out.data = *text;
    out.owner = std::move(text);
    link_->send(std::move(out));
}

void Connection::on_pdu(const IncomingPdu &pdu) {
    if (phase_ == Phase::closed)
        return;
    if (!pdu.data_digest_ok)
        return fail("data digest error in a PDU from the target");
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

void Connection::on_link_down(std::string_view reason) {
    if (phase_ == Phase::closed)
        return;
    phase_ = Phase::closed;
    login_timer_.cancel();
    owner_.on_connection_lost(*this, std::string(reason));
}

} // namespace iscsiscope::testbed::initiator
