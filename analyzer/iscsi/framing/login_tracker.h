// SPDX-License-Identifier: GPL-2.0-or-later
// Follows the login phase of one connection.
#pragma once

#include "analyzer/iscsi/framing/login.h"
#include "analyzer/iscsi/framing/pdu.h"
#include "analyzer/iscsi/text/text_keys.h"

#include <optional>

namespace iscsiscope {

class LoginTracker {
public:
    // A Login Request or Login Response that was delivered, with its whole data segment (as far as
    // the file has it). The login, once its last answer has come.
    std::optional<Login> pdu(const Pdu &);
    // The connection has ended: what there was of a login, if it had begun and not come to an end.
    std::optional<Login> end();

    // PDUs of this end may have gone by without having been told.
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
