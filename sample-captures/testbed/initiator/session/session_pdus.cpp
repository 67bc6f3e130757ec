// SPDX-License-Identifier: GPL-2.0-or-later
// What the target sends in the full feature phase, and the session's answers.
#include "sample-captures/testbed/initiator/session/session.h"

#include "analyzer/iscsi/codec/pdu/data_pdus.h"
#include "analyzer/iscsi/codec/pdu/nop_pdus.h"
#include "analyzer/iscsi/codec/pdu/scsi_pdus.h"
#include "analyzer/iscsi/codec/pdu/session_pdus.h"
#include "analyzer/iscsi/codec/pdu/task_management_pdus.h"
#include "analyzer/iscsi/codec/pdu/text_pdus.h"
#include "analyzer/iscsi/scsi/status.h"

#include <algorithm>
#include <cstring>

namespace iscsiscope::testbed::initiator {

TaskPtr Session::find(InitiatorTaskTag itt, const Connection &connection) const {
    const auto found = tasks_.find(static_cast<std::uint32_t>(itt));
    // Connection allegiance: a task's PDUs come on its connection only (RFC 7143 section 4.2.5.1).
    if (found == tasks_.end() || found->second->connection != connection.index())
        return nullptr;
    return found->second;
}

void Session::end_task(const TaskPtr &task, TaskOutcome outcome) {
    tasks_.erase(static_cast<std::uint32_t>(task->itt));
    task->outcome = outcome;
    dispatcher_.finished(task->connection);
    observer_.on_task_end(*this, *task);
    if (const auto ended = std::exchange(task->ended, nullptr))
        ended(*task);
    pump();
}

void Session::on_full_feature_pdu(Connection &connection, const IncomingPdu &pdu) {
    if (pdu.header.has_max_cmd_sn())
        window_.update(pdu.header.exp_cmd_sn(), pdu.header.max_cmd_sn());
    switch (pdu.header.opcode()) {
    case Opcode::data_in:
        on_data_in(connection, pdu);
        break;
    case Opcode::scsi_response:
        on_scsi_response(connection, pdu);
        break;
    case Opcode::r2t:
        on_r2t(connection, pdu);
        break;
    case Opcode::nop_in:
        on_nop_in(connection, pdu);
        break;
    case Opcode::text_response:
        on_text(connection, pdu);
        break;
    case Opcode::task_management_response:
        on_management_response(connection, pdu);
        break;
    case Opcode::logout_response:
        on_logout_response(connection, pdu);
        break;
    case Opcode::async_message:
        on_async(connection, pdu);
        break;
    case Opcode::reject:
        on_reject(connection, pdu);
        break;
    default:
        return connection.fail("the target sends a PDU that no target may send (opcode " +
                               std::to_string(static_cast<unsigned>(pdu.header.opcode())) + ")");
    }
    pump(); // the window may have opened
}

void Session::on_data_in(Connection &connection, const IncomingPdu &pdu) {
    const auto data = DataIn::parse(pdu.header);
    if (!data)
        return connection.fail("the target sends a malformed Data-In");
    const TaskPtr task = find(data->initiator_task_tag, connection);
    if (!task)
        return observer_.on_notice(*this, "Data-In for a task that is not out is ignored");
    if (task->flow != DataFlow::read || data->buffer_offset != task->received ||
        pdu.data.size() > task->length() - task->received)
        return connection.fail("the target sends Data-In outside what was asked for (offset " +
                               std::to_string(data->buffer_offset) + ", " + std::to_string(pdu.data.size()) +
                               " bytes)");
    if (data->data_sn != task->next_data_sn)
        return connection.fail("the target sends DataSN " + std::to_string(data->data_sn.value) + " where " +
                               std::to_string(task->next_data_sn.value) + " is due");
    ++task->next_data_sn;
    if (!task->first_data_ns)
        task->first_data_ns = pdu.header_ns;
    task->last_sign_ns = pdu.received_ns;
    if (!pdu.data.empty())
        std::memcpy(task->data->data() + task->received, pdu.data.data(), pdu.data.size());
    task->received += static_cast<std::uint32_t>(pdu.data.size());
    if (data->has_status)
        on_status(task, data->status, data->underflow, data->overflow, data->residual_count, pdu.received_ns);
}

void Session::on_scsi_response(Connection &connection, const IncomingPdu &pdu) {
    const auto response = ScsiResponse::parse(pdu.header);
    if (!response)
        return connection.fail("the target sends a malformed SCSI Response");
    const TaskPtr task = find(response->initiator_task_tag, connection);
    if (!task)
        return observer_.on_notice(*this, "a SCSI Response for a task that is not out is ignored");
    if (response->response != 0) {
        task->status_ns = pdu.received_ns;
        return end_task(task, TaskOutcome::rejected);
    }
    task->sense = parse_sense(sense_of_response(pdu.data));
    on_status(task, response->status, response->underflow, response->overflow, response->residual_count,
              pdu.received_ns);
}

void Session::on_status(const TaskPtr &task, std::uint8_t status, bool underflow, bool overflow,
                        std::uint32_t residual, std::int64_t ns) {
    task->status = status;
    task->status_ns = ns;
    task->residual = underflow ? std::int64_t{residual} : overflow ? -std::int64_t{residual} : 0;
    const std::uint64_t accounted = std::uint64_t{task->received} + (underflow ? residual : 0);
    if (status == static_cast<std::uint8_t>(ScsiStatus::good) && task->flow == DataFlow::read &&
        accounted != task->length())
        return connections_[task->connection]->fail("the target reports GOOD for a read of " +
                                                    std::to_string(task->length()) + " bytes after " +
                                                    std::to_string(task->received));
    end_task(task, TaskOutcome::done);
}

void Session::on_r2t(Connection &connection, const IncomingPdu &pdu) {
    const auto r2t = R2t::parse(pdu.header);
    if (!r2t)
        return connection.fail("the target sends a malformed R2T");
    const TaskPtr task = find(r2t->initiator_task_tag, connection);
    if (!task)
        return observer_.on_notice(*this, "an R2T for a task that is not out is ignored");
    const std::uint64_t end = std::uint64_t{r2t->buffer_offset} + r2t->desired_data_transfer_length;
    if (task->flow != DataFlow::write || end > task->length() ||
        r2t->desired_data_transfer_length > connection.keys().max_burst_length)
        return connection.fail("the target asks by R2T for more than it may (offset " +
                               std::to_string(r2t->buffer_offset) + ", " +
                               std::to_string(r2t->desired_data_transfer_length) + " bytes)");
    if (r2t->r2t_sn != task->next_r2t_sn)
        return connection.fail("the target sends R2TSN " + std::to_string(r2t->r2t_sn.value) + " where " +
                               std::to_string(task->next_r2t_sn.value) + " is due");
    ++task->next_r2t_sn;
    ++counters_.r2ts;
    task->last_sign_ns = pdu.received_ns;
    task->r2ts.push_back({pdu.received_ns, static_cast<std::uint32_t>(r2t->target_transfer_tag),
                          r2t->r2t_sn.value, r2t->buffer_offset, r2t->desired_data_transfer_length});
    if (settings_.r2t_delay.count() == 0)
        return answer_r2t(connection, task, *r2t);
    const auto timer = std::make_shared<asio::steady_timer>(
        io_, std::chrono::duration_cast<std::chrono::steady_clock::duration>(settings_.r2t_delay));
    timer->async_wait([this, timer, &connection, task, asked = *r2t](const asio::error_code &error) {
        if (!error && connection.in_full_feature() && task->outcome == TaskOutcome::pending)
            answer_r2t(connection, task, asked);
    });
}

void Session::answer_r2t(Connection &connection, const TaskPtr &task, const R2t &r2t) {
    send_burst(connection, task, r2t.target_transfer_tag, r2t.buffer_offset,
               r2t.desired_data_transfer_length);
}

void Session::send_burst(Connection &connection, const TaskPtr &task, TargetTransferTag ttt,
                         std::uint32_t offset, std::uint32_t length) {
    DataOut out;
    out.lun = lun_;
    out.initiator_task_tag = task->itt;
    out.target_transfer_tag = ttt;
    out.exp_stat_sn = connection.expected_stat_sn();
    cut_burst(offset, length, connection.keys().max_recv_data_segment_length_target,
              [&](std::uint32_t at, std::uint32_t part, bool final) {
                  out.final = final;
                  out.buffer_offset = at;
                  out.data_segment_length = part;
                  OutgoingPdu pdu;
                  pdu.header = out.encode();
                  pdu.data = std::span<const std::byte>(*task->data).subspan(at, part);
                  pdu.owner = task->data;
                  pdu.last_byte_handed = [this, itt = task->itt](std::int64_t ns) { data_handed(itt, ns); };
                  connection.link().queue(std::move(pdu));
                  ++out.data_sn;
              });
    connection.link().flush();
}

void Session::on_nop_in(Connection &connection, const IncomingPdu &pdu) {
    const auto nop = NopIn::parse(pdu.header);
    if (!nop)
        return connection.fail("the target sends a malformed NOP-In");
    ++counters_.nop_ins;
    if (nop->target_transfer_tag == TargetTransferTag::reserved)
        return; // only news about the window
    NopOut answer;
    answer.immediate = true;
    answer.lun = nop->lun; // RFC 7143 section 11.18: copied, as is the tag
    answer.target_transfer_tag = nop->target_transfer_tag;
    answer.cmd_sn = window_.next();
    answer.exp_stat_sn = connection.expected_stat_sn();
    send_request(connection, answer.encode());
}

void Session::discover(std::function<void(std::vector<KeyValue>)> found) {
    found_ = std::move(found);
    send_text_request(TargetTransferTag::reserved);
}

void Session::send_text_request(TargetTransferTag ttt) {
    Connection &connection = *connections_.front();
    const bool first = ttt == TargetTransferTag::reserved;
    const std::vector<KeyValue> question{{"SendTargets", "All"}};
    auto text =
        std::make_shared<std::vector<std::byte>>(first ? build_text(question) : std::vector<std::byte>{});
    TextRequest request;
    request.initiator_task_tag = InitiatorTaskTag{0xfffffffe}; // the only one out; same for all its parts
    request.target_transfer_tag = ttt;
    request.data_segment_length = static_cast<std::uint32_t>(text->size());
    request.cmd_sn = window_.take();
    request.exp_stat_sn = connection.expected_stat_sn();
    OutgoingPdu out;
    out.header = request.encode();
    out.data = *text;
    out.owner = std::move(text);
    connection.link().send(std::move(out));
}

void Session::on_text(Connection &connection, const IncomingPdu &pdu) {
    const auto response = TextResponse::parse(pdu.header);
    if (!response || !found_)
        return connection.fail("the target sends a Text Response that is malformed or was not asked for");
    discovered_.add(pdu.data);
    if (!response->final)
        return send_text_request(response->target_transfer_tag);
    if (const auto found = std::exchange(found_, nullptr))
        found(discovered_.finish());
}

void Session::send_management(Connection &connection, TaskManagementFunction function,
                              InitiatorTaskTag referenced, CmdSn ref_cmd_sn) {
    TaskManagementRequest request;
    request.immediate = true;
    request.function = function;
    request.lun = lun_;
    request.initiator_task_tag = new_tag();
    request.referenced_task_tag = referenced;
    request.cmd_sn = window_.next();
    request.exp_stat_sn = connection.expected_stat_sn();
    request.ref_cmd_sn = ref_cmd_sn;
    management_.emplace(last_tag_, ManagementTask{function, referenced, request.cmd_sn});
    send_request(connection, request.encode());
}

void Session::on_management_response(Connection &connection, const IncomingPdu &pdu) {
    const auto response = TaskManagementResponse::parse(pdu.header);
    const auto found = response ? management_.find(static_cast<std::uint32_t>(response->initiator_task_tag))
                                : management_.end();
    if (found == management_.end())
        return connection.fail("the target sends a Task Management Response that was not asked for");
    const ManagementTask asked = found->second;
    management_.erase(found);
    observer_.on_notice(*this, std::string(name(asked.function)) + ": response " +
                                   std::to_string(response->response));
    std::vector<TaskPtr> over;
    if (asked.function == TaskManagementFunction::abort_task) {
        const TaskPtr task = find(asked.referenced, connection);
        if (task && response->response == 0)
            over.push_back(task);
        else if (task && response->response == 1)
            await_late_status(task);
    } else if (response->response == 0) {
        for (const auto &[tag, task] : tasks_)
            if (task->cmd_sn < asked.cmd_sn)
                over.push_back(task);
    }
    std::sort(over.begin(), over.end(),
              [](const TaskPtr &a, const TaskPtr &b) { return a->cmd_sn < b->cmd_sn; });
    for (const TaskPtr &task : over)
        if (task->outcome == TaskOutcome::pending)
            end_task(task, TaskOutcome::aborted);
}

// "No such task": its status should have come before on the same connection (RFC 7143 section 11.6.1), but
// targets are found that answer so for a write whose data they still await, and then end it after all. Only
// when no status follows is the task taken for gone (a response that was lost).
void Session::await_late_status(const TaskPtr &task) {
    const auto timer = std::make_shared<asio::steady_timer>(
        io_, std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                 std::max<std::chrono::nanoseconds>(settings_.abort_after, std::chrono::seconds(1))));
    timer->async_wait([this, timer, task](const asio::error_code &error) {
        if (error || state_ != State::open || task->outcome != TaskOutcome::pending)
            return;
        observer_.on_notice(*this, "no status came for a task that the target does not know");
        end_task(task, TaskOutcome::aborted);
    });
}

void Session::on_logout_response(Connection &connection, const IncomingPdu &pdu) {
    const auto response = LogoutResponse::parse(pdu.header);
    if (!response || state_ != State::closing)
        return connection.fail("the target sends a Logout Response that is malformed or was not asked for");
    if (response->response != 0)
        observer_.on_notice(*this, "logout: response " + std::to_string(response->response));
    if (connection.index() == 0)
        return finish_logout();
    observer_.on_connection_end(*this, connection, "logout");
    connection.close();
    const bool only_leading_left = std::all_of(connections_.begin() + 1, connections_.end(),
                                               [](const auto &other) { return other->finished(); });
    if (only_leading_left)
        send_logout(*connections_.front(), true);
}

void Session::on_async(Connection &connection, const IncomingPdu &pdu) {
    const auto message = AsyncMessage::parse(pdu.header);
    if (!message)
        return connection.fail("the target sends a malformed Async Message");
    switch (message->event) {
    case AsyncEvent::logout_requested:
        return observer_.on_session_end(*this, "the target asks to log out", false);
    case AsyncEvent::connection_dropped:
        return connection.fail("the target drops connection " + std::to_string(message->parameter1));
    case AsyncEvent::session_dropped:
        return connection.fail("the target drops the session");
    default:
        observer_.on_notice(*this,
                            "Async Message, event " + std::to_string(static_cast<unsigned>(message->event)));
    }
}

void Session::on_reject(Connection &connection, const IncomingPdu &pdu) {
    const auto reject = Reject::parse(pdu.header);
    if (!reject)
        return connection.fail("the target sends a malformed Reject");
    ++counters_.rejects;
    observer_.on_notice(*this, "Reject, reason " + std::to_string(reject->reason));
    if (pdu.data.size() < basic_header_size)
        return;
    const HeaderView refused(pdu.data.first<basic_header_size>());
    if (!refused.has_initiator_task_tag())
        return;
    management_.erase(static_cast<std::uint32_t>(refused.initiator_task_tag()));
    if (const TaskPtr task = find(refused.initiator_task_tag(), connection)) {
        task->status_ns = pdu.received_ns;
        end_task(task, TaskOutcome::rejected);
    }
}

} // namespace iscsiscope::testbed::initiator
