// SPDX-License-Identifier: GPL-2.0-or-later
// The login phase of one connection as a dialogue without sockets: it returns what to send, is given what
// came back, and ends with the parameters in force or a sentence (RFC 7143 section 6.3).
#pragma once

#include "analyzer/iscsi/codec/pdu/login_pdus.h"
#include "analyzer/iscsi/text/negotiation.h"
#include "sample-captures/testbed/auth/chap.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace iscsiscope::testbed::initiator {

struct Credentials {
    std::string user, secret;               // empty user: AuthMethod=None
    std::string target_user, target_secret; // mutual CHAP; empty secret: one way; empty user: any name
};

struct LoginSettings {
    std::string initiator_name;
    std::string target_name; // empty: a discovery session
    Isid isid{};
    std::uint16_t cid = 0;
    Credentials credentials;
    // What to offer in the operational stage, in this order.
    std::vector<KeyValue> offers;
};

class LoginExchange {
public:
    // session: what the leading connection agreed on; tsih: its session's, 0 on the leading connection.
    LoginExchange(LoginSettings settings, std::uint16_t tsih, const OperationalParameters &session);

    struct Step {
        enum class Kind : std::uint8_t { send, done, failed };
        Kind kind = Kind::failed;
        LoginRequest request;          // send: the caller fills in ITT, CmdSN and ExpStatSN
        std::vector<std::byte> text{}; // send: the data segment
        std::string error{};           // failed: why, in the user's words
    };
    Step begin();
    // text: the data segment of the response.
    Step on_response(const LoginResponse &response, std::span<const std::byte> text);

    // When done.
    std::uint16_t tsih() const { return tsih_; }
    NegotiationResult result() const { return negotiation_.result(); }

private:
    enum class State : std::uint8_t { method, algorithm, proof, security_end, operational };
    Step say(LoginStage stage, bool transit, std::vector<KeyValue> keys);
    Step say_on();
    Step fail(std::string error) const;
    Step on_security(const LoginResponse &response, std::span<const KeyValue> keys);
    Step prove(std::span<const KeyValue> keys);
    Step on_operational(const LoginResponse &response, std::span<const KeyValue> keys);
    Step offer();
    std::string check_target_proof(std::span<const KeyValue> keys) const;

    LoginSettings settings_;
    std::uint16_t tsih_;
    Negotiation negotiation_;
    State state_ = State::method;
    LoginStage stage_ = LoginStage::security;
    TextCollector collector_;
    std::vector<std::byte> pending_text_; // of a request that goes in several PDUs
    bool transit_ = false;                // whether the last of them has the T bit
    ChapChallenge own_challenge_;         // mutual CHAP
    unsigned turns_ = 0;
};

// What the status of a refused login means (RFC 7143 section 11.13.5).
std::string login_status_text(std::uint8_t status_class, std::uint8_t detail);

} // namespace iscsiscope::testbed::initiator
