// SPDX-License-Identifier: GPL-2.0-or-later
// An iSCSI session from the initiator's side: N connections, one command window, tasks with their data,
// task management, logout. ErrorRecoveryLevel 0: when one connection goes, the session goes.
#pragma once

#include "sample-captures/testbed/initiator/session/connection.h"
#include "sample-captures/testbed/initiator/session/data_out_plan.h"
#include "sample-captures/testbed/initiator/session/dispatch.h"
#include "sample-captures/testbed/initiator/session/task.h"

#include "analyzer/iscsi/codec/pdu/data_pdus.h"
#include "analyzer/iscsi/codec/pdu/task_management_pdus.h"

#include <asio/steady_timer.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace iscsiscope::testbed::initiator {

struct SessionSettings {
    ConnectionSettings connection;
    std::vector<Portal> more_portals; // connection i uses the i-th of connection's and these, in turn
    LoginSettings login;              // of the leading connection; the CID is set by the session
    std::uint64_t lun = 0;            // 0…16383
    unsigned connections = 1;
    DispatchPolicy dispatch = DispatchPolicy::round_robin;
    unsigned connection_depth = 0; // commands a connection carries at once; 0: no limit
    UnsolicitedPolicy unsolicited = UnsolicitedPolicy::negotiated;
    std::chrono::nanoseconds r2t_delay{0};                       // before an R2T is answered
    std::chrono::nanoseconds timeout = std::chrono::seconds(30); // a command without any sign; 0: none
    std::chrono::nanoseconds abort_after{0};                     // ABORT TASK for commands older; 0: never
};

class Session;

// What a session reports besides the end of tasks. All calls come from the io_context's thread.
class SessionObserver {
public:
    virtual void on_connection_open(Session &, Connection &) = 0;
    // While the socket is still open.
    virtual void on_connection_end(Session &, Connection &, const std::string &reason) = 0;
    virtual void on_task_end(Session &, const Task &) = 0;
    virtual void on_notice(Session &, const std::string &text) = 0;
    // The session is gone, its tasks have ended; or the target wants it to end (gone false).
    virtual void on_session_end(Session &, const std::string &reason, bool gone) = 0;

    virtual ~SessionObserver() = default;
};

class Session final : private ConnectionOwner {
public:
    // number: as truth rows show it, from 1. observer outlives the session.
    Session(asio::io_context &io, SessionObserver &observer, SessionSettings settings, unsigned number);

    // All connections logged in: opened(""); else opened(why), and nothing is left open.
    void open(std::function<void(const std::string &error)> opened);
    // Queued until the window is open and a connection is chosen. Task::data must not change meanwhile.
    void submit(TaskPtr task);
    // Only the first n connections carry new commands.
    void set_active_connections(unsigned n);
    // LOGICAL UNIT RESET now; its tasks end as aborted when the target confirms.
    void reset_lun();
    // Closes every connection, politely where the target answers within the bound.
    void log_out(std::chrono::nanoseconds bound, std::function<void()> done);
    // SendTargets=All in a discovery session: the answer's pairs.
    void discover(std::function<void(std::vector<KeyValue>)> found);

    bool is_open() const { return state_ == State::open; }
    unsigned number() const { return number_; }
    unsigned outstanding() const { return static_cast<unsigned>(tasks_.size() + queue_.size()); }
    const SessionSettings &settings() const { return settings_; }
    const OperationalParameters &keys() const { return connections_.front()->keys(); }
    const NegotiationResult &negotiated() const { return connections_.front()->negotiated(); }
    std::uint16_t tsih() const { return tsih_; }
    const std::vector<std::unique_ptr<Connection>> &connections() const { return connections_; }
    struct Counters {
        std::uint64_t r2ts = 0, nop_ins = 0, aborts = 0, rejects = 0, window_waits = 0;
    };
    const Counters &counters() const { return counters_; }

private:
    enum class State : std::uint8_t { idle, opening, open, closing, closed };
    struct ManagementTask {
        TaskManagementFunction function{};
        InitiatorTaskTag referenced = InitiatorTaskTag::reserved;
        CmdSn cmd_sn; // commands before it belong to a reset
    };

    CommandWindow &window() override { return window_; }
    void on_logged_in(Connection &) override;
    void on_full_feature_pdu(Connection &, const IncomingPdu &) override;
    void on_connection_lost(Connection &, const std::string &reason) override;

    void open_connection(unsigned index);
    void close_all(const std::string &reason);
    void end_all_tasks();
    void pump();
    void start(const TaskPtr &task, unsigned connection);
    InitiatorTaskTag new_tag();
    TaskPtr find(InitiatorTaskTag itt, const Connection &connection) const;
    void end_task(const TaskPtr &task, TaskOutcome outcome);

    void on_data_in(Connection &, const IncomingPdu &);
    void on_scsi_response(Connection &, const IncomingPdu &);
    void on_status(const TaskPtr &task, std::uint8_t status, bool underflow, bool overflow,
                   std::uint32_t residual, std::int64_t ns);
    void on_r2t(Connection &, const IncomingPdu &);
    void answer_r2t(Connection &, const TaskPtr &task, const R2t &r2t);
    // Sends a PDU without data that belongs to no task.
    void send_request(Connection &, const HeaderBytes &header);
    // Times of a task's PDUs, for its truth row; nothing where the task has ended.
    void command_handed(InitiatorTaskTag, std::int64_t ns);
    void data_handed(InitiatorTaskTag, std::int64_t ns);
    void send_burst(Connection &, const TaskPtr &task, TargetTransferTag ttt, std::uint32_t offset,
                    std::uint32_t length);
    void on_nop_in(Connection &, const IncomingPdu &);
    void on_text(Connection &, const IncomingPdu &);
    void on_management_response(Connection &, const IncomingPdu &);
    void on_logout_response(Connection &, const IncomingPdu &);
    void on_async(Connection &, const IncomingPdu &);
    void on_reject(Connection &, const IncomingPdu &);
    void send_management(Connection &, TaskManagementFunction function, InitiatorTaskTag referenced,
                         CmdSn ref_cmd_sn);
    void await_late_status(const TaskPtr &task);
    void send_logout(Connection &, bool whole_session);
    void send_text_request(TargetTransferTag ttt);
    void check_timeouts();
    void schedule_abort(const TaskPtr &task);
    void run_aborts();
    void finish_logout();

    asio::io_context &io_;
    SessionObserver &observer_;
    SessionSettings settings_;
    unsigned number_;
    Lun lun_;
    State state_ = State::idle;
    std::vector<std::unique_ptr<Connection>> connections_;
    unsigned logged_in_ = 0;
    std::uint16_t tsih_ = 0;
    CommandWindow window_;
    Dispatcher dispatcher_;
    std::deque<TaskPtr> queue_;
    std::unordered_map<std::uint32_t, TaskPtr> tasks_;
    std::unordered_map<std::uint32_t, ManagementTask> management_;
    std::uint32_t last_tag_ = 0;
    std::function<void(const std::string &)> opened_;
    std::function<void()> logged_out_;
    std::function<void(std::vector<KeyValue>)> found_;
    TextCollector discovered_;
    asio::steady_timer timeout_timer_, abort_timer_, logout_timer_;
    std::deque<std::pair<std::int64_t, std::weak_ptr<Task>>> abort_queue_; // due, CLOCK_REALTIME
    Counters counters_;
};

} // namespace iscsiscope::testbed::initiator
