// SPDX-License-Identifier: GPL-2.0-or-later
// One connection: its login, then its PDUs in full feature phase.
#pragma once

#include "analyzer/iscsi/codec/pdu/pdus.h"
#include "sample-captures/testbed/target/protocol/login.h"
#include "sample-captures/testbed/target/protocol/session.h"
#include "sample-captures/testbed/wire/pdu_link.h"

#include <deque>
#include <memory>
#include <optional>
#include <string_view>

namespace iscsiscope::testbed {

// States: in login (login_ takes the requests, session_ is null); in full feature phase (session_ is set);
// ended (its link has ended or ends when its queue is sent; the target forgets it).
class Connection final : public PduLinkEvents,
                         public SessionConnection,
                         private LoginHost,
                         public std::enable_shared_from_this<Connection> {
public:
    // record is null where no truth is kept.
    Connection(TargetServices &, TargetSessions &, std::shared_ptr<PduLink>,
               std::shared_ptr<ConnectionRecord> record);
    ~Connection() override;

    void on_pdu(const IncomingPdu &) override;
    void on_link_down(std::string_view reason) override;
    void on_room() override;

    // Values in force here: the session's with this connection's own.
    const OperationalParameters &parameters() const override { return parameters_; }
    std::uint16_t cid() const override { return cid_; }
    const std::string &name() const override { return link_->name(); }

    StatSn next_stat_sn() const override { return stat_sn_; }
    StatSn take_stat_sn() override {
        const StatSn now = stat_sn_;
        ++stat_sn_;
        return now;
    }
    void transmit(OutgoingPdu) override;
    // A copy of data goes along.
    void transmit(const HeaderBytes &, std::span<const std::byte> data);
    void send_data_of(std::shared_ptr<ScsiTask>) override;
    std::uint32_t largest_data_in() const override;

    bool throttled() const override { return throttled_; }
    void announce_window() override;
    bool in_login() const { return !session_; }

    void drop(std::string_view reason, bool notify) override;
    void leave(std::string_view reason) override;
    void make_way() override;

private:
    LoginStatus find_session(const LoginOutcome &, OperationalParameters &session_wide) override;
    LoginStatus admit(const LoginOutcome &, std::uint16_t &tsih) override;

    void on_login(const IncomingPdu &);
    void full_feature();
    void on_command(const IncomingPdu &);
    void on_data_out(const IncomingPdu &);
    void on_task_management(const IncomingPdu &);
    void on_nop_out(const IncomingPdu &);
    void on_text(const IncomingPdu &);
    void answer_text(const TextRequest &, std::span<const std::byte>);
    void on_logout(const IncomingPdu &);
    void answer_logout(const LogoutRequest &);
    void reject(const IncomingPdu &, std::uint8_t reason);
    void protocol_error(const IncomingPdu &, std::string_view what);
    void ping();
    void ask_for_logout();
    void send_waiting_data();
    void balance();
    void end_sending();

    TargetServices &services_;
    TargetSessions &sessions_;
    std::shared_ptr<PduLink> link_;
    std::shared_ptr<ConnectionRecord> record_;
    LoginPhase login_;
    std::shared_ptr<Session> session_; // from the end of the login on
    OperationalParameters parameters_;
    std::uint16_t cid_ = 0;
    StatSn stat_sn_;
    bool first_login_pdu_ = true;
    TimerHandle login_timer_, ping_timer_, async_timer_;
    std::uint32_t next_ping_ = 0, commands_ = 0;
    std::uint32_t digest_work_ = 0; // result of the digests computed for --digest-work; not used
    std::optional<TargetTransferTag> ping_outstanding_;
    TextCollector text_{64 * 1024};
    std::vector<std::byte> pending_text_; // of an answer longer than one PDU
    struct Sender {
        std::shared_ptr<ScsiTask> task;
        std::uint32_t counted = 0; // of its unsent bytes, in promised_
    };
    std::deque<Sender> senders_; // tasks with Data-In to send, in this order
    std::uint64_t promised_ = 0; // bytes that they have not produced yet
    bool throttled_ = false, producing_ = false;
};

} // namespace iscsiscope::testbed
