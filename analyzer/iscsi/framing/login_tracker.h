// SPDX-License-Identifier: GPL-2.0-or-later
// LoginTracker: follows the login phase of one connection (RFC 7143 section 6). Login PDUs go in; one Login
// comes out when the phase ends. Text keys are collected per end (memory bounded by TextCollector).
#pragma once

#include "analyzer/iscsi/framing/login.h"
#include "analyzer/iscsi/pdu/pdu.h"
#include "analyzer/iscsi/text/text_keys.h"

#include <optional>

namespace iscsiscope {

class LoginTracker {
public:
    // Takes a delivered Login Request or Login Response with its data segment as far as the file holds it.
    // Returns the login after its last response.
    std::optional<Login> pdu(const Pdu &);
    // The connection has ended: returns the unfinished login, if one had begun.
    std::optional<Login> end();

    // PDUs of this end may have been missed, since PDU boundaries were lost.
    void missing(Party);

    bool text_malformed() const { return text_malformed_; }

private:
    void request(const Pdu &);
    std::optional<Login> response(const Pdu &);
    void take_text(Party, TextCollector &, const Pdu &, bool continued);
    Login close_login();

    Login login_;
    Negotiation negotiation_;
    TextCollector from_initiator_, from_target_;
    TextSeen seen_{false, false, true};
    bool begun_ = false;
    bool done_ = false;
    bool text_malformed_ = false;
};

} // namespace iscsiscope
