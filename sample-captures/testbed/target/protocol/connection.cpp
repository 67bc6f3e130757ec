// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/protocol/connection.h"

#include "analyzer/base/crc32c/crc32c.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace iscsiscope::testbed {
namespace {

// A connection that has not logged in by then is closed.
constexpr std::chrono::seconds login_time(30);

} // namespace

Connection::Connection(TargetServices &services, TargetSessions &sessions, std::shared_ptr<PduLink> link,
                       std::shared_ptr<ConnectionRecord> record)
    : services_(services), sessions_(sessions), link_(std::move(link)), record_(std::move(record)),
      login_(services.config, *this) {
    login_timer_ = services_.timers.at(
        services_.timers.now() + login_time, [this] { leave("no login within 30 seconds"); });
}

Connection::~Connection() {
    link_->close("target ended");
}

void Connection::transmit(OutgoingPdu out) {
    if (parameters_.data_digest_crc32c)
        for (std::uint32_t i = 0; i < services_.config.faults.digest_work; ++i)
            digest_work_ = crc32c(digest_work_, out.data);
    link_->send(std::move(out));
    balance();
}

void Connection::transmit(const HeaderBytes &header, std::span<const std::byte> data) {
    auto copy = std::make_shared<const std::vector<std::byte>>(data.begin(), data.end());
    OutgoingPdu out;
    out.header = header;
    out.data = *copy;
    out.owner = std::move(copy);
    transmit(std::move(out));
}

void Connection::on_link_down(std::string_view reason) {
    const auto self = shared_from_this();
    services_.log(fmt::format("{}: {}", link_->name(), reason));
    end_sending();
    // At error recovery level 0 a connection that fails takes its session along (RFC 7143 section 7.1.4).
    if (session_)
        sessions_.end_session(*session_, reason, this, true);
    sessions_.forget(*this);
}

void Connection::drop(std::string_view reason, bool notify) {
    const auto self = shared_from_this();
    if (notify && session_) {
        AsyncMessage a;
        a.event = AsyncEvent::session_dropped;
        a.stat_sn = take_stat_sn();
        a.exp_cmd_sn = session_->exp_cmd_sn();
        a.max_cmd_sn = session_->max_cmd_sn();
        a.parameter2 = static_cast<std::uint16_t>(parameters_.default_time2wait);
        a.parameter3 = static_cast<std::uint16_t>(parameters_.default_time2retain);
        transmit(a.encode(), {});
    }
    end_sending();
    link_->close_when_sent(reason);
    sessions_.forget(*this);
}

void Connection::leave(std::string_view reason) {
    const auto self = shared_from_this();
    services_.log(fmt::format("{}: {}", link_->name(), reason));
    end_sending();
    link_->close_when_sent(reason);
    if (session_) {
        Session &session = *session_;
        session.abort_tasks([&](ScsiTask &t) { return t.belongs_to(*this); });
        session.connections().erase(cid_);
        if (session.connections().empty())
            sessions_.end_session(session, reason, this, false);
        else
            session.connections().begin()->second->announce_window();
    }
    sessions_.forget(*this);
}

void Connection::make_way() {
    session_.reset(); // which does not end with it
    drop("replaced by a new connection with its CID", false);
}

void Connection::on_pdu(const IncomingPdu &pdu) {
    const auto self = shared_from_this();
    const HeaderView view = pdu.header;
    if (!session_)
        return on_login(pdu);
    // A damaged data segment is reported and, except for data of a command, forgotten (RFC 7143
    // section 7.7); a command or a request lost so would leave a hole, so the connection ends.
    if (!pdu.data_digest_ok) {
        reject(pdu, 0x02);
        if (view.opcode() != Opcode::data_out && view.opcode() != Opcode::scsi_command)
            return protocol_error(pdu, "data digest error");
    }
    if (session_->discovery() && view.opcode() != Opcode::text_request &&
        view.opcode() != Opcode::logout_request && view.opcode() != Opcode::nop_out)
        return reject(pdu, 0x04); // protocol error: a discovery session has no disks
    switch (view.opcode()) {
    case Opcode::scsi_command:
        return on_command(pdu);
    case Opcode::data_out:
        return on_data_out(pdu);
    case Opcode::task_management_request:
        return on_task_management(pdu);
    case Opcode::nop_out:
        return on_nop_out(pdu);
    case Opcode::text_request:
        return on_text(pdu);
    case Opcode::logout_request:
        return on_logout(pdu);
    case Opcode::login_request:
        return protocol_error(pdu, "a login request in full feature phase");
    case Opcode::snack_request:
        return reject(pdu, 0x03); // SNACK reject: error recovery level 0
    default:
        return reject(pdu, 0x05); // command not supported
    }
}

void Connection::reject(const IncomingPdu &pdu, std::uint8_t reason) {
    Reject r;
    r.reason = reason;
    r.stat_sn = take_stat_sn();
    r.exp_cmd_sn = session_->exp_cmd_sn();
    r.max_cmd_sn = session_->max_cmd_sn();
    transmit(r.encode(), pdu.header.bytes());
}

void Connection::protocol_error(const IncomingPdu &pdu, std::string_view what) {
    services_.log(fmt::format("{}: protocol error: {} ({})", link_->name(), what,
                              iscsiscope::name(pdu.header.opcode())));
    const auto self = shared_from_this();
    const auto session = session_;
    link_->close_when_sent(what);
    sessions_.end_session(*session, what, this, true);
    sessions_.forget(*this);
}

void Connection::on_login(const IncomingPdu &pdu) {
    const auto request = LoginRequest::parse(pdu.header);
    if (!request)
        return leave("something other than a login request came first");
    if (std::exchange(first_login_pdu_, false))
        stat_sn_ = request->exp_stat_sn;
    LoginPhase::Reply reply = login_.on_request(*request, pdu.data);
    LoginResponse &r = reply.header;
    r.stat_sn = take_stat_sn();
    r.exp_cmd_sn = session_ ? session_->exp_cmd_sn() : request->cmd_sn;
    r.max_cmd_sn = session_ ? session_->max_cmd_sn() : request->cmd_sn;
    transmit(r.encode(), reply.text); // login PDUs have no digests: parameters_ is set below
    if (reply.refused)
        return leave(fmt::format("login refused, status {:02x}{:02x}: {}", r.status_class, r.status_detail,
                                 login_.refusal()));
    if (reply.complete)
        full_feature();
}

LoginStatus Connection::find_session(const LoginOutcome &who, OperationalParameters &session_wide) {
    const std::shared_ptr<Session> session = sessions_.find_session(who);
    if (!session || session->tsih() != who.tsih || session->discovery())
        return login_status::session_does_not_exist;
    session_wide = session->who().parameters;
    const auto &connections = session->connections();
    // The same CID again is reinstatement of that connection, not one more.
    if (!connections.contains(who.cid) && connections.size() >= session_wide.max_connections)
        return login_status::too_many_connections;
    return login_status::success;
}

LoginStatus Connection::admit(const LoginOutcome &who, std::uint16_t &tsih) {
    cid_ = who.cid;
    if (who.tsih == 0) {
        session_ = sessions_.open_session(who);
    } else {
        OperationalParameters ignored;
        const LoginStatus status = find_session(who, ignored); // it may have ended meanwhile
        if (!status.ok())
            return status;
        session_ = sessions_.find_session(who);
        if (const auto at = session_->connections().find(cid_); at != session_->connections().end()) {
            SessionConnection &old = *at->second;
            session_->abort_tasks([&](ScsiTask &t) { return t.belongs_to(old); });
            old.make_way();
        }
    }
    session_->connections()[cid_] = this;
    tsih = session_->tsih();
    return login_status::success;
}

void Connection::full_feature() {
    const LoginOutcome &who = login_.outcome();
    const Faults &faults = services_.config.faults;
    parameters_ = who.parameters;
    link_->set_digests({parameters_.header_digest_crc32c, parameters_.data_digest_crc32c});
    link_->limit_data_segment(parameters_.max_recv_data_segment_length_target);
    login_timer_.reset();
    if (record_) {
        record_->session = static_cast<std::int64_t>(session_->number());
        record_->cid = cid_;
    }
    services_.log(fmt::format("{}: {} logged in, session {}, CID {}{}", link_->name(), who.initiator_name,
                              session_->number(), cid_, who.discovery ? ", discovery" : ""));
    if (faults.nop_interval.count() > 0 && !session_->discovery())
        ping_timer_ = services_.timers.at(services_.timers.now() + faults.nop_interval, [this] { ping(); });
    if (faults.async_logout_after.count() > 0)
        async_timer_ = services_.timers.at(services_.timers.now() + faults.async_logout_after,
                                           [this] { ask_for_logout(); });
}

void Connection::ping() {
    const Faults &faults = services_.config.faults;
    const Nanoseconds wait = faults.nop_timeout.count() > 0 ? faults.nop_timeout : faults.nop_interval;
    if (ping_outstanding_ && throttled_) { // the answer may stand in input that this end does not read
        ping_timer_ = services_.timers.at(services_.timers.now() + wait, [this] { ping(); });
        return;
    }
    if (ping_outstanding_ && faults.nop_timeout.count() > 0) {
        const auto self = shared_from_this();
        services_.log(fmt::format("{}: no answer to a NOP-In", link_->name()));
        link_->close("no answer to a NOP-In");
        sessions_.end_session(*session_, "no answer to a NOP-In", this, true);
        return sessions_.forget(*this);
    }
    NopIn n;
    n.target_transfer_tag = TargetTransferTag{next_ping_++ & 0x7fffffff};
    n.stat_sn = next_stat_sn(); // not used up (RFC 7143 section 11.19.2)
    n.exp_cmd_sn = session_->exp_cmd_sn();
    n.max_cmd_sn = session_->max_cmd_sn();
    ping_outstanding_ = n.target_transfer_tag;
    transmit(n.encode(), {});
    ping_timer_ = services_.timers.at(services_.timers.now() + wait, [this] { ping(); });
}

void Connection::ask_for_logout() {
    AsyncMessage a;
    a.event = AsyncEvent::logout_requested;
    a.parameter3 = 5; // seconds
    a.stat_sn = take_stat_sn();
    a.exp_cmd_sn = session_->exp_cmd_sn();
    a.max_cmd_sn = session_->max_cmd_sn();
    transmit(a.encode(), {});
}

} // namespace iscsiscope::testbed
