// SPDX-License-Identifier: GPL-2.0-or-later
// The session's life: opening, dispatch of commands, closing. Answers of the target: session_pdus.cpp.
#include "sample-captures/testbed/initiator/session/session.h"

#include "analyzer/iscsi/codec/pdu/scsi_pdus.h"
#include "analyzer/iscsi/codec/pdu/session_pdus.h"
#include "analyzer/iscsi/scsi/lun.h"
#include "sample-captures/testbed/common/clock.h"

#include <asio/post.hpp>

#include <algorithm>

namespace iscsiscope::testbed::initiator {

namespace {
using SteadyDuration = std::chrono::steady_clock::duration;
// Keys that only the leading connection may negotiate are left out on the others (RFC 7143 section 13,
// "Use: LO").
bool is_per_connection(const KeyValue &pair) {
    return pair.key == "HeaderDigest" || pair.key == "DataDigest" || pair.key == "MaxRecvDataSegmentLength";
}
} // namespace

Session::Session(asio::io_context &io, SessionObserver &observer, SessionSettings settings, unsigned number)
    : io_(io), observer_(observer), settings_(std::move(settings)), number_(number),
      lun_(make_lun(static_cast<std::uint16_t>(settings_.lun))),
      dispatcher_(settings_.dispatch, settings_.connections, settings_.connection_depth), timeout_timer_(io),
      abort_timer_(io), logout_timer_(io) {
    for (unsigned index = 0; index < settings_.connections; ++index) {
        ConnectionSettings own = settings_.connection;
        if (const std::size_t turn = index % (settings_.more_portals.size() + 1); turn > 0) {
            own.host = settings_.more_portals[turn - 1].host;
            own.port = settings_.more_portals[turn - 1].port;
        }
        connections_.push_back(
            std::make_unique<Connection>(io_, static_cast<ConnectionOwner &>(*this), own, index));
    }
}

void Session::open(std::function<void(const std::string &)> opened) {
    opened_ = std::move(opened);
    state_ = State::opening;
    open_connection(0);
}

void Session::open_connection(unsigned index) {
    LoginSettings login = settings_.login;
    login.cid = static_cast<std::uint16_t>(index);
    if (index > 0)
        std::erase_if(login.offers, [](const KeyValue &pair) { return !is_per_connection(pair); });
    // A further connection starts from the session's keys, but declares its own segment length and
    // digests anew.
    OperationalParameters start = index == 0 ? OperationalParameters{} : connections_.front()->keys();
    const OperationalParameters defaults;
    start.header_digest_crc32c = defaults.header_digest_crc32c;
    start.data_digest_crc32c = defaults.data_digest_crc32c;
    start.max_recv_data_segment_length_target = defaults.max_recv_data_segment_length_target;
    start.max_recv_data_segment_length_initiator = defaults.max_recv_data_segment_length_initiator;
    connections_[index]->open(std::move(login), tsih_, start);
}

void Session::on_logged_in(Connection &connection) {
    observer_.on_connection_open(*this, connection);
    ++logged_in_;
    // A digest that was demanded (None not offered) but not given must not pass unseen: some targets
    // answer None all the same.
    const auto demanded = [&](std::string_view key) {
        const std::string *offer = find_value(settings_.login.offers, key);
        return offer && offer->find("CRC32C") != std::string::npos &&
               offer->find("None") == std::string::npos;
    };
    if ((demanded("HeaderDigest") && !connection.keys().header_digest_crc32c) ||
        (demanded("DataDigest") && !connection.keys().data_digest_crc32c))
        return connection.fail("the target does not agree to the digests asked for");
    if (connection.index() == 0) {
        tsih_ = connection.tsih();
        const unsigned allowed = connection.keys().max_connections;
        if (!settings_.login.target_name.empty() && allowed < settings_.connections)
            return connection.fail("the target allows " + std::to_string(allowed) +
                                   " connection(s) in a session (MaxConnections), " +
                                   std::to_string(settings_.connections) + " were asked for");
        for (unsigned index = 1; index < settings_.connections; ++index)
            open_connection(index);
    }
    if (logged_in_ < settings_.connections)
        return;
    state_ = State::open;
    check_timeouts();
    if (const auto opened = std::exchange(opened_, nullptr))
        opened({});
    pump();
}

void Session::on_connection_lost(Connection &connection, const std::string &reason) {
    const std::string where =
        settings_.connection.host + ":" + std::to_string(settings_.connection.port) +
        (settings_.connections > 1 ? ", connection " + std::to_string(connection.index()) : std::string{}) +
        ": " + reason;
    if (connection.link_is_open())
        observer_.on_connection_end(*this, connection, reason);
    if (state_ == State::closed)
        return;
    if (state_ == State::closing)
        return finish_logout();
    const bool was_open = state_ == State::open;
    state_ = State::closed;
    const unsigned out = outstanding();
    close_all("the session ended");
    end_all_tasks();
    if (const auto opened = std::exchange(opened_, nullptr))
        return opened(where);
    if (was_open)
        observer_.on_session_end(
            *this, where + (out > 0 ? " (" + std::to_string(out) + " commands were out)" : std::string{}),
            true);
}

void Session::close_all(const std::string &reason) {
    timeout_timer_.cancel();
    abort_timer_.cancel();
    logout_timer_.cancel();
    for (const auto &connection : connections_) {
        if (!connection->finished() && connection->link_is_open())
            observer_.on_connection_end(*this, *connection, reason);
        // A failed connection closes itself when this call has returned.
        if (!connection->finished())
            connection->close();
    }
}

void Session::end_all_tasks() {
    std::vector<TaskPtr> left(queue_.begin(), queue_.end());
    queue_.clear();
    for (const auto &entry : tasks_)
        left.push_back(entry.second);
    tasks_.clear();
    management_.clear();
    std::sort(left.begin(), left.end(),
              [](const TaskPtr &a, const TaskPtr &b) { return a->submitted_ns < b->submitted_ns; });
    for (const TaskPtr &task : left) {
        task->outcome = TaskOutcome::lost;
        observer_.on_task_end(*this, *task);
        if (const auto ended = std::exchange(task->ended, nullptr))
            ended(*task);
    }
}

void Session::submit(TaskPtr task) {
    task->submitted_ns = realtime_ns();
    if (state_ != State::open) {
        // Deferred like every other end of a task: callers submit from within their own loops.
        asio::post(io_, [this, task] {
            task->outcome = TaskOutcome::lost;
            observer_.on_task_end(*this, *task);
            if (const auto ended = std::exchange(task->ended, nullptr))
                ended(*task);
        });
        return;
    }
    queue_.push_back(std::move(task));
    pump();
}

void Session::set_active_connections(unsigned n) {
    dispatcher_.set_active(n);
    pump();
}

void Session::pump() {
    while (state_ == State::open && !queue_.empty()) {
        if (!window_.open()) {
            ++counters_.window_waits;
            return;
        }
        const auto connection = dispatcher_.take();
        if (!connection)
            return;
        const TaskPtr task = queue_.front();
        queue_.pop_front();
        start(task, *connection);
    }
}

InitiatorTaskTag Session::new_tag() {
    do
        ++last_tag_;
    while (last_tag_ == 0xffffffff || tasks_.contains(last_tag_) || management_.contains(last_tag_));
    return InitiatorTaskTag{last_tag_};
}

void Session::start(const TaskPtr &task, unsigned index) {
    Connection &connection = *connections_[index];
    task->itt = new_tag();
    task->cmd_sn = window_.take();
    task->connection = index;
    tasks_.emplace(last_tag_, task);
    ScsiCommand command;
    command.read = task->flow == DataFlow::read;
    command.write = task->flow == DataFlow::write;
    command.lun = lun_;
    command.initiator_task_tag = task->itt;
    command.expected_data_transfer_length = task->length();
    command.cmd_sn = task->cmd_sn;
    command.exp_stat_sn = connection.expected_stat_sn();
    command.cdb = task->cdb;
    WriteOpening opening;
    if (command.write)
        opening = plan_write(connection.keys(), settings_.unsolicited, task->length());
    command.final = opening.unsolicited == 0;
    command.data_segment_length = opening.immediate;
    const std::span<const std::byte> immediate =
        opening.immediate > 0 ? std::span<const std::byte>(*task->data).first(opening.immediate)
                              : std::span<const std::byte>{};
    OutgoingPdu out;
    out.header = command.encode();
    out.data = immediate;
    out.owner = task->data;
    out.first_byte_handed = [this, itt = task->itt](std::int64_t ns) { command_handed(itt, ns); };
    if (command.write)
        out.last_byte_handed = [this, itt = task->itt](std::int64_t ns) { data_handed(itt, ns); };
    if (opening.unsolicited == 0)
        connection.link().send(std::move(out));
    else
        connection.link().queue(std::move(out));
    if (opening.unsolicited > 0)
        send_burst(connection, task, TargetTransferTag::reserved, opening.immediate, opening.unsolicited);
    schedule_abort(task);
}

void Session::command_handed(InitiatorTaskTag itt, std::int64_t ns) {
    if (const auto found = tasks_.find(static_cast<std::uint32_t>(itt)); found != tasks_.end())
        found->second->handed_ns = ns;
}

void Session::data_handed(InitiatorTaskTag itt, std::int64_t ns) {
    if (const auto found = tasks_.find(static_cast<std::uint32_t>(itt)); found != tasks_.end())
        found->second->last_data_sent_ns = ns;
}

void Session::send_request(Connection &connection, const HeaderBytes &header) {
    OutgoingPdu out;
    out.header = header;
    connection.link().send(std::move(out));
}

// A command without any PDU of the target for the timeout ends the session as lost.
void Session::check_timeouts() {
    if (settings_.timeout.count() == 0)
        return;
    timeout_timer_.expires_after(std::chrono::milliseconds(250));
    timeout_timer_.async_wait([this](const asio::error_code &error) {
        if (error || state_ != State::open)
            return;
        const std::int64_t oldest = realtime_ns() - settings_.timeout.count();
        for (const auto &[tag, task] : tasks_) {
            std::int64_t sign = std::max(task->submitted_ns, task->handed_ns.value_or(0));
            sign = std::max(sign, task->last_sign_ns);
            if (sign < oldest)
                return connections_[task->connection]->fail(
                    "no answer to a command for " +
                    std::to_string(
                        std::chrono::duration_cast<std::chrono::milliseconds>(settings_.timeout).count()) +
                    " ms (CmdSN " + std::to_string(task->cmd_sn.value) + ")");
        }
        check_timeouts();
    });
}

void Session::schedule_abort(const TaskPtr &task) {
    if (settings_.abort_after.count() == 0 || task->no_abort)
        return;
    abort_queue_.emplace_back(realtime_ns() + settings_.abort_after.count(), task);
    if (abort_queue_.size() == 1)
        run_aborts();
}

void Session::run_aborts() {
    const std::int64_t now = realtime_ns();
    while (!abort_queue_.empty()) {
        const auto &[due, entry] = abort_queue_.front();
        const TaskPtr task = entry.lock();
        const bool out = task && task->outcome == TaskOutcome::pending;
        if (out && due > now)
            break;
        if (out) {
            task->abort_sent = true;
            ++counters_.aborts;
            send_management(*connections_[task->connection], TaskManagementFunction::abort_task, task->itt,
                            task->cmd_sn);
        }
        abort_queue_.pop_front();
    }
    if (abort_queue_.empty())
        return;
    abort_timer_.expires_after(std::chrono::duration_cast<SteadyDuration>(
        std::chrono::nanoseconds(std::max<std::int64_t>(abort_queue_.front().first - now, 0))));
    abort_timer_.async_wait([this](const asio::error_code &error) {
        if (!error && state_ == State::open)
            run_aborts();
    });
}

void Session::reset_lun() {
    if (state_ == State::open)
        send_management(*connections_.front(), TaskManagementFunction::logical_unit_reset,
                        InitiatorTaskTag::reserved, CmdSn{});
}

void Session::log_out(std::chrono::nanoseconds bound, std::function<void()> done) {
    if (state_ != State::open) {
        asio::post(io_, std::move(done));
        return;
    }
    logged_out_ = std::move(done);
    state_ = State::closing;
    timeout_timer_.cancel();
    abort_timer_.cancel();
    logout_timer_.expires_after(std::chrono::duration_cast<SteadyDuration>(bound));
    logout_timer_.async_wait([this](const asio::error_code &error) {
        if (error || state_ != State::closing)
            return;
        observer_.on_notice(*this, "the target does not answer the logout; closing without it");
        finish_logout();
    });
    // The other connections first, each for itself, then the session with the leading one: so that a
    // target that takes "close the session" for "close this connection" is left clean too.
    for (std::size_t index = 1; index < connections_.size(); ++index)
        send_logout(*connections_[index], false);
    if (connections_.size() == 1)
        send_logout(*connections_.front(), true);
}

void Session::send_logout(Connection &connection, bool whole_session) {
    LogoutRequest request;
    request.immediate = true;
    request.reason = whole_session ? LogoutReason::close_session : LogoutReason::close_connection;
    request.initiator_task_tag = new_tag();
    request.cid = whole_session ? std::uint16_t{0} : static_cast<std::uint16_t>(connection.index());
    request.cmd_sn = window_.next();
    request.exp_stat_sn = connection.expected_stat_sn();
    send_request(connection, request.encode());
}

void Session::finish_logout() {
    if (state_ != State::closing)
        return;
    state_ = State::closed;
    close_all("logout");
    end_all_tasks();
    if (auto done = std::exchange(logged_out_, nullptr))
        asio::post(io_, std::move(done));
}

} // namespace iscsiscope::testbed::initiator
