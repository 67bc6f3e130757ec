// SPDX-License-Identifier: GPL-2.0-or-later
// The target: its sessions and connections. Runs on one thread, without sockets of its own: links are
// handed in. A connection is in connections_ from accept() to forget(), a session in sessions_ from the login
// of its leading connection to end_session().
#pragma once

#include "sample-captures/testbed/target/protocol/connection.h"
#include "sample-captures/testbed/target/protocol/session.h"
#include "sample-captures/testbed/target/protocol/target_services.h"
#include "sample-captures/testbed/target/protocol/target_sessions.h"

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string_view>

namespace iscsiscope::testbed {

class Target final : private TargetSessions {
public:
    // All must outlive the target.
    Target(const TargetConfig &, LogicalUnits &, Timers &, TruthLog &);
    ~Target() override;
    Target(const Target &) = delete;
    Target &operator=(const Target &) = delete;

    // A new connection, which lives until its link ends; its events.
    PduLinkEvents &accept(std::shared_ptr<PduLink>, std::shared_ptr<ConnectionRecord> record);
    // The number of connections that may be logging in at once. One more, and the oldest of the address with
    // most of them ends. The link's name() distinguishes addresses.
    void limit_logins(std::size_t most) { max_logins_ = most; }
    // Ends one connection that is logging in, chosen so. False: there is none.
    bool end_one_login(std::string_view reason);
    // Ends every session, with an Async Message to its initiator, and every connection that is logging in.
    void end_all_sessions(std::string_view reason) override;

private:
    std::shared_ptr<Session> find_session(const LoginOutcome &) override;
    std::shared_ptr<Session> open_session(const LoginOutcome &) override;
    void end_session(Session &, std::string_view reason, Connection *except, bool notify) override;
    void forget(Connection &) override;
    void abort_everywhere(const std::function<bool(ScsiTask &)> &which) override;
    void reset_unit(std::uint32_t lun) override;
    void reset_all() override;
    std::vector<NexusId> nexuses() const;

    TargetServices services_;
    std::map<Connection *, std::shared_ptr<Connection>> connections_;
    std::list<Connection *> logging_in_; // oldest first; those that have logged in leave it late
    std::size_t max_logins_ = 512;
    std::map<std::uint64_t, std::shared_ptr<Session>> sessions_;
    std::uint64_t next_session_ = 1;
    std::uint16_t next_tsih_ = 1;
};

} // namespace iscsiscope::testbed
