// SPDX-License-Identifier: GPL-2.0-or-later
// The target: its logical units, sessions and connections. Runs on one thread, without sockets of its
// own: links are handed in.
#pragma once

#include "sample-captures/testbed/target/config/target_config.h"
#include "sample-captures/testbed/target/protocol/connection.h"
#include "sample-captures/testbed/target/protocol/session.h"
#include "sample-captures/testbed/target/protocol/timers.h"
#include "sample-captures/testbed/target/scsi/logical_units.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string_view>

namespace iscsiscope::testbed {

class Target {
public:
    // All must outlive the target.
    Target(const TargetConfig &, LogicalUnits &, Timers &, TruthLog &);
    ~Target();

    // A new connection, which lives until its link ends; its events.
    PduLinkEvents &accept(std::shared_ptr<PduLink>, std::shared_ptr<ConnectionRecord> record);
    // Tells every initiator that its session ends, and ends them.
    void end_all_sessions(std::string_view reason);

    const TargetConfig &config() const { return config_; }
    LogicalUnits &units() { return units_; }
    Timers &timers() { return timers_; }
    TruthLog &truth() { return truth_; }

    // Sessions. Joining or making one closes what it replaces (RFC 7143 section 6.3.5).
    std::shared_ptr<Session> find_session(const LoginOutcome &);
    std::shared_ptr<Session> open_session(const LoginOutcome &);
    // The session and all its connections end. but: a connection that ends by itself.
    void end_session(Session &, std::string_view reason, Connection *but, bool tell);
    void forget(Connection &);

    // Task management over all sessions.
    void abort_everywhere(const std::function<bool(ScsiTask &)> &which);
    void reset_unit(std::uint32_t lun);
    void reset_all();
    std::vector<NexusId> nexuses() const;

    // True on every n-th call of its own counter; n = 0: never.
    struct Every {
        std::uint64_t count = 0;
        bool operator()(std::uint32_t n) { return n != 0 && ++count % n == 0; }
    };
    struct Counters {
        Every task_set_full, busy, reservation_conflict, check_condition, drop_response, spoil_header,
            spoil_data;
        std::uint32_t next_ttt = 0;
    };
    Counters &counters() { return counters_; }
    void log(std::string_view line) const;

private:
    const TargetConfig &config_;
    LogicalUnits &units_;
    Timers &timers_;
    TruthLog &truth_;
    std::map<Connection *, std::shared_ptr<Connection>> connections_;
    std::map<std::uint64_t, std::shared_ptr<Session>> sessions_;
    std::uint64_t next_session_ = 1;
    std::uint16_t next_tsih_ = 1;
    Counters counters_;
};

} // namespace iscsiscope::testbed
