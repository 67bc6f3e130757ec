// SPDX-License-Identifier: GPL-2.0-or-later
// What one connection or session asks of the others of its target. The target implements it.
#pragma once

#include "sample-captures/testbed/target/protocol/login.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace iscsiscope::testbed {

class Connection;
class ScsiTask;
class Session;

class TargetSessions {
public:
    // The session of this initiator port; null: none.
    virtual std::shared_ptr<Session> find_session(const LoginOutcome &) = 0;
    // A new session; one of the same initiator port ends (reinstatement, RFC 7143 section 6.3.5).
    virtual std::shared_ptr<Session> open_session(const LoginOutcome &) = 0;
    // The session and all its connections end. except: a connection that ends by itself. With notify an
    // Async Message reports the end to the initiator first.
    virtual void end_session(Session &, std::string_view reason, Connection *except, bool notify) = 0;
    virtual void end_all_sessions(std::string_view reason) = 0;
    // The connection has ended; it is destroyed after the call that is under way.
    virtual void forget(Connection &) = 0;

    // Task management over all sessions.
    virtual void abort_everywhere(const std::function<bool(ScsiTask &)> &which) = 0;
    virtual void reset_unit(std::uint32_t lun) = 0;
    virtual void reset_all() = 0;

    virtual ~TargetSessions() = default;
};

} // namespace iscsiscope::testbed
