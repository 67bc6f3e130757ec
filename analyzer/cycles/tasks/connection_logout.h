// SPDX-License-Identifier: GPL-2.0-or-later
// ConnectionLogout: how far the logout of one connection has come (RFC 7143 section 11.14).
//
// In: the Logout Requests that the connection carries, the Logout Responses that report success, and that a
// Logout, on whichever connection, has closed it. Out: what the answered request asked for, and whether the
// connection is logged out. States: no request; requested, from a request to its answer. Beside that, and for
// good: logged out.
#pragma once

#include "analyzer/iscsi/codec/pdu/session_pdus.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace iscsiscope {

class ConnectionLogout {
public:
    // What the last Logout Request without an answer asks for.
    struct Wanted {
        LogoutReason reason{};
        std::uint16_t cid = 0; // the connection to close; not with close_session
    };

    void requested(LogoutReason reason, std::uint16_t cid) {
        reason_ = reason;
        cid_ = cid;
    }
    // The target has done what was asked for. Returns that; empty: the request is not in the capture.
    std::optional<Wanted> succeeded() {
        const std::optional<LogoutReason> reason = std::exchange(reason_, std::nullopt);
        return reason ? std::optional(Wanted{*reason, cid_}) : std::nullopt;
    }
    // A Logout has closed the connection.
    void closed() { logged_out_ = true; }

    bool logged_out() const { return logged_out_; }

private:
    // Of Wanted, while there is one. Every connection keeps them: as two members they take less.
    std::optional<LogoutReason> reason_;
    std::uint16_t cid_ = 0;
    bool logged_out_ = false;
};

} // namespace iscsiscope
