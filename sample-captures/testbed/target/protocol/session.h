// SPDX-License-Identifier: GPL-2.0-or-later
// A session: the numbering of commands over all its connections, their tasks, task management.
#pragma once

#include "analyzer/iscsi/codec/pdu/task_management_pdus.h"
#include "sample-captures/testbed/target/protocol/login.h"
#include "sample-captures/testbed/target/protocol/scsi_task.h"
#include "sample-captures/testbed/target/protocol/target_services.h"
#include "sample-captures/testbed/target/protocol/target_sessions.h"

#include <functional>
#include <map>
#include <memory>
#include <string_view>

namespace iscsiscope::testbed {

// What a session and its other connections ask of a connection.
class SessionConnection : public TaskConnection {
public:
    // What it has to send stands above a bound: nothing is read, and the session's window does not open.
    virtual bool throttled() const = 0;
    // Reports the window to the initiator where no other PDU will.
    virtual void announce_window() = 0;
    // Ends the connection once everything is sent. With notify an Async Message reports the end of the
    // session to the initiator first (RFC 7143 section 11.9.1).
    virtual void drop(std::string_view reason, bool notify) = 0;
    // Leaves its session and ends once everything is sent.
    virtual void leave(std::string_view reason) = 0;
    // A new connection with its CID has taken its place in the session (RFC 7143 section 6.3.4); it ends.
    virtual void make_way() = 0;

protected:
    ~SessionConnection() = default;
};

// A session exists from the login of its leading connection until the target ends it. Tasks are in it from
// their command PDU until their status is about to be sent or they are aborted.
class Session final : public TaskSession {
public:
    // Services and sessions outlive the session.
    Session(TargetServices &, TargetSessions &, std::uint64_t number, const LoginOutcome &,
            std::uint16_t tsih);
    ~Session() override;
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    NexusId nexus() const override { return NexusId{number_}; }
    std::uint64_t number() const override { return number_; }
    std::uint16_t tsih() const { return tsih_; }
    const LoginOutcome &who() const { return who_; }
    bool discovery() const { return who_.discovery; }

    // CmdSN (RFC 7143 section 4.2.2.1). Takes a request: immediate ones are carried out at once, others
    // in order, now or later. False: outside the window or there already; it is to be ignored.
    bool take(CmdSn, bool immediate, std::function<void()> carry_out);
    CmdSn exp_cmd_sn() const override { return exp_cmd_sn_; }
    CmdSn max_cmd_sn() override;
    // The window would be wider in max_cmd_sn() if no connection were throttled.
    bool window_withheld() const { return withheld_; }
    bool throttled() const;

    std::map<std::uint16_t, SessionConnection *> &connections() { return connections_; }

    void add_task(std::shared_ptr<ScsiTask>);
    std::shared_ptr<ScsiTask> find_task(InitiatorTaskTag);
    void end_task(const ScsiTask &) override;
    std::size_t immediate_tasks() const { return tasks_.size() - in_window_; }
    std::size_t abort_tasks(const std::function<bool(ScsiTask &)> &which);

    // The response code (RFC 7143 section 11.6.1).
    std::uint8_t manage(const TaskManagementRequest &);

private:
    TargetServices &services_;
    TargetSessions &sessions_;
    std::uint64_t number_;
    LoginOutcome who_;
    std::uint16_t tsih_;
    CmdSn exp_cmd_sn_, max_cmd_sn_;
    std::map<std::uint16_t, SessionConnection *> connections_;
    std::map<std::uint32_t, std::function<void()>> early_;     // by CmdSN; requests beyond a missing one
    std::map<std::uint32_t, std::shared_ptr<ScsiTask>> tasks_; // by ITT
    std::uint32_t in_window_ = 0;                              // tasks not immediate
    bool withheld_ = false;
    std::shared_ptr<SessionRecord> record_;
};

} // namespace iscsiscope::testbed
