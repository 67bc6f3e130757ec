// SPDX-License-Identifier: GPL-2.0-or-later
// The login phase of one connection, the target's side (RFC 7143 section 6): requests in, answers out.
// No sockets, no clock.
#pragma once

#include "analyzer/iscsi/codec/pdu/login_pdus.h"
#include "analyzer/iscsi/text/negotiation.h"
#include "sample-captures/testbed/auth/chap.h"
#include "sample-captures/testbed/target/config/target_config.h"

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace iscsiscope::testbed {

// Status-Class and Status-Detail (RFC 7143 section 11.13.5).
struct LoginStatus {
    std::uint8_t status_class = 0, detail = 0;
    bool ok() const { return status_class == 0; }
};
namespace login_status {
inline constexpr LoginStatus success{0, 0}, initiator_error{2, 0x00}, authentication_failure{2, 0x01},
    not_found{2, 0x03}, unsupported_version{2, 0x05}, too_many_connections{2, 0x06},
    missing_parameter{2, 0x07}, session_type_unsupported{2, 0x09}, session_does_not_exist{2, 0x0a},
    invalid_request{2, 0x0b}, out_of_resources{3, 0x02};
} // namespace login_status

// Who logs in, and what was agreed.
struct LoginOutcome {
    std::string initiator_name;
    bool discovery = false;
    Isid isid{};
    std::uint16_t tsih = 0; // as requested
    std::uint16_t cid = 0;
    CmdSn cmd_sn;
    OperationalParameters parameters;
};

// What the login asks of the target's sessions.
class LoginHost {
public:
    virtual ~LoginHost() = default;
    // A further connection (TSIH not 0) may join: the session's parameters, or why not.
    virtual LoginStatus find_session(const LoginOutcome &so_far, OperationalParameters &session_wide) = 0;
    // The login is complete: the session is made or joined. tsih is set on success.
    virtual LoginStatus admit(const LoginOutcome &, std::uint16_t &tsih) = 0;
};

class LoginPhase {
public:
    LoginPhase(const TargetConfig &config, LoginHost &host) : config_(config), host_(host) {}

    struct Reply {
        LoginResponse header; // StatSN, ExpCmdSN and MaxCmdSN are the connection's to fill in
        std::vector<std::byte> text;
        bool refused = false;  // the connection ends behind this answer
        bool complete = false; // full feature phase follows
    };
    Reply on_request(const LoginRequest &, std::span<const std::byte> data);

    const LoginOutcome &outcome() const { return outcome_; }
    const std::string &refusal() const { return refusal_; } // a sentence for the log

private:
    enum class Auth : std::uint8_t { undecided, chap_chosen, challenged, done };

    LoginStatus begin(const LoginRequest &);
    LoginStatus identify(const std::vector<KeyValue> &);
    LoginStatus security(const std::vector<KeyValue> &, std::vector<KeyValue> &out);
    LoginStatus check_response(const std::vector<KeyValue> &, std::vector<KeyValue> &out);
    LoginStatus operational(std::vector<KeyValue> keys, std::vector<KeyValue> &out);
    void offer_own(std::vector<KeyValue> &out);
    std::string own_value(std::string_view key) const;
    LoginStatus finish();
    Reply refuse(Reply, LoginStatus, std::string why);
    Reply put_text(Reply, const LoginRequest &);
    std::string why(std::string text) {
        refusal_ = std::move(text);
        return refusal_;
    }

    const TargetConfig &config_;
    LoginHost &host_;
    bool begun_ = false, identified_ = false, declared_ = false, offered_ = false;
    LoginStage stage_ = LoginStage::security;
    InitiatorTaskTag itt_{};
    Auth auth_ = Auth::undecided;
    ChapChallenge challenge_;
    TextCollector collector_{64 * 1024};
    std::vector<std::byte> pending_text_; // of an answer longer than one PDU
    unsigned turns_ = 0;                  // requests taken
    std::set<std::string> heard_;
    std::set<std::string> awaited_; // offers of ours not yet answered
    std::optional<Negotiation> negotiation_;
    LoginOutcome outcome_;
    OperationalParameters start_; // in force before this login
    std::string refusal_;
};

} // namespace iscsiscope::testbed
