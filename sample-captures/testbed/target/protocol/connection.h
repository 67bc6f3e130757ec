// SPDX-License-Identifier: GPL-2.0-or-later
// One connection: its login, then its PDUs in full feature phase.
#pragma once

#include "analyzer/iscsi/codec/pdu/pdus.h"
#include "sample-captures/testbed/target/protocol/link.h"
#include "sample-captures/testbed/target/protocol/login.h"
#include "sample-captures/testbed/target/protocol/timers.h"

#include <memory>
#include <optional>
#include <string_view>

namespace iscsiscope::testbed {

class Session;
class Target;

class Connection final : public LinkEvents,
                         private LoginHost,
                         public std::enable_shared_from_this<Connection> {
public:
    Connection(Target &, std::shared_ptr<Link>);
    ~Connection() override;

    void on_pdu(const InPdu &) override;
    void on_link_down(std::string_view reason) override;

    // Values in force here: the session's with this connection's own.
    const OperationalParameters &parameters() const { return parameters_; }
    std::uint16_t cid() const { return cid_; }
    Link &link() { return *link_; }
    Session *session() { return session_.get(); }

    StatSn next_stat_sn() const { return stat_sn_; }
    StatSn take_stat_sn() {
        const StatSn now = stat_sn_;
        ++stat_sn_;
        return now;
    }
    void transmit(OutPdu);
    // A copy of data goes along.
    void transmit(const HeaderBytes &, std::span<const std::byte> data);

    // The initiator is told that the session ends; then the connection ends (RFC 7143 section 11.9.1).
    void drop(std::string_view reason, bool tell);
    // Leaves its session and ends once everything is sent.
    void leave(std::string_view reason);

private:
    LoginStatus find_session(const LoginOutcome &, OperationalParameters &session_wide) override;
    LoginStatus admit(const LoginOutcome &, std::uint16_t &tsih) override;

    void on_login(const InPdu &);
    void full_feature();
    void on_command(const InPdu &);
    void on_data_out(const InPdu &);
    void on_task_management(const InPdu &);
    void on_nop_out(const InPdu &);
    void on_text(const InPdu &);
    void answer_text(const TextRequest &, std::span<const std::byte>);
    void on_logout(const InPdu &);
    void answer_logout(const LogoutRequest &);
    void reject(const InPdu &, std::uint8_t reason);
    void protocol_error(const InPdu &, std::string_view what);
    void ping();
    void ask_for_logout();

    Target &target_;
    std::shared_ptr<Link> link_;
    LoginPhase login_;
    std::shared_ptr<Session> session_; // from the end of the login on
    OperationalParameters parameters_;
    std::uint16_t cid_ = 0;
    StatSn stat_sn_;
    bool first_login_pdu_ = true;
    TimerHandle login_timer_, ping_timer_, async_timer_;
    std::uint32_t next_ping_ = 0, commands_ = 0;
    std::optional<TargetTransferTag> ping_outstanding_;
    TextCollector text_{64 * 1024};
    std::vector<std::byte> pending_text_; // of an answer longer than one PDU
};

} // namespace iscsiscope::testbed
