// SPDX-License-Identifier: GPL-2.0-or-later
// A connection's requests in full feature phase (RFC 7143 section 11).
#include "sample-captures/testbed/target/protocol/connection.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace iscsiscope::testbed {
namespace {

// Immediate commands take no place in the command window (RFC 7143 section 4.2.2.1): these bound them.
constexpr std::size_t max_immediate_tasks = 64;

} // namespace

void Connection::on_command(const IncomingPdu &pdu) {
    const auto command = ScsiCommand::parse(pdu.header);
    if (!command)
        return reject(pdu, 0x09); // invalid PDU field
    if (session_->find_task(command->initiator_task_tag))
        return reject(pdu, 0x07); // task in progress
    if (command->immediate && session_->immediate_tasks() >= max_immediate_tasks)
        return reject(pdu, 0x06); // too many immediate commands
    if (command->read && command->write)
        return reject(pdu, 0x05); // no bidirectional command is offered
    auto task = std::make_shared<ScsiTask>(services_, *session_, *this, *command, pdu.received_ns);
    task->on_command_data(pdu.data, pdu.data_digest_ok);
    session_->add_task(task);
    const auto session = session_; // the task may end it
    if (!session->take(command->cmd_sn, command->immediate, [task] { task->deliver(); })) {
        task->abort();
        session->end_task(*task);
        return;
    }
    const std::uint32_t limit = services_.config.faults.close_after_commands;
    if (limit != 0 && ++commands_ >= limit && session_) {
        const auto self = shared_from_this();
        link_->close("cut on purpose (--close-after)");
        sessions_.end_session(*session, "cut on purpose", this, false);
        sessions_.forget(*this);
    }
}

void Connection::on_data_out(const IncomingPdu &pdu) {
    const auto data = DataOut::parse(pdu.header);
    if (!data)
        return reject(pdu, 0x09);
    // Data of a task that is gone (aborted, refused) is dropped without a word: it was under way.
    if (const auto task = session_->find_task(data->initiator_task_tag); task && task->belongs_to(*this))
        task->on_data_out(*data, pdu.data, pdu.data_digest_ok);
}

void Connection::on_task_management(const IncomingPdu &pdu) {
    const auto request = TaskManagementRequest::parse(pdu.header);
    if (!request)
        return reject(pdu, 0x09);
    session_->take(request->cmd_sn, request->immediate, [this, weak = weak_from_this(), r = *request] {
        const auto self = weak.lock();
        if (!self || !session_)
            return;
        const auto session = session_;
        TaskManagementResponse answer;
        answer.response = session->manage(r);
        answer.initiator_task_tag = r.initiator_task_tag;
        answer.stat_sn = take_stat_sn();
        answer.exp_cmd_sn = session->exp_cmd_sn();
        answer.max_cmd_sn = session->max_cmd_sn();
        transmit(answer.encode(), {});
        // A cold reset ends every connection of the target (RFC 7143 section 11.5.1).
        if (r.function == TaskManagementFunction::target_cold_reset)
            services_.timers.post(
                [&sessions = sessions_] { sessions.end_all_sessions("target cold reset"); });
    });
}

void Connection::on_nop_out(const IncomingPdu &pdu) {
    const auto nop = NopOut::parse(pdu.header);
    if (!nop)
        return reject(pdu, 0x09);
    if (nop->initiator_task_tag == InitiatorTaskTag::reserved) { // the answer to a ping, which has no number
        if (ping_outstanding_ == nop->target_transfer_tag) {
            ping_outstanding_.reset();
            const Faults &faults = services_.config.faults;
            if (faults.nop_interval.count() > 0)
                ping_timer_ =
                    services_.timers.at(services_.timers.now() + faults.nop_interval, [this] { ping(); });
        }
        return;
    }
    session_->take(nop->cmd_sn, nop->immediate,
                   [this, weak = weak_from_this(), n = *nop,
                    data = std::vector<std::byte>(pdu.data.begin(), pdu.data.end())] {
                       const auto self = weak.lock();
                       if (!self || !session_ || services_.config.faults.silent_nops)
                           return;
                       NopIn answer;
                       answer.initiator_task_tag = n.initiator_task_tag;
                       answer.stat_sn = take_stat_sn();
                       answer.exp_cmd_sn = session_->exp_cmd_sn();
                       answer.max_cmd_sn = session_->max_cmd_sn();
                       const std::size_t most = parameters_.max_recv_data_segment_length_initiator;
                       transmit(answer.encode(), std::span(data).first(std::min(data.size(), most)));
                   });
}

void Connection::on_text(const IncomingPdu &pdu) {
    const auto request = TextRequest::parse(pdu.header);
    if (!request)
        return reject(pdu, 0x09);
    session_->take(request->cmd_sn, request->immediate,
                   [this, weak = weak_from_this(), r = *request,
                    data = std::vector<std::byte>(pdu.data.begin(), pdu.data.end())] {
                       const auto self = weak.lock();
                       if (self && session_)
                           answer_text(r, data);
                   });
}

void Connection::answer_text(const TextRequest &r, std::span<const std::byte> data) {
    text_.add(data);
    std::vector<KeyValue> out;
    const bool goes_on = r.target_transfer_tag != TargetTransferTag::reserved && !pending_text_.empty();
    if (!r.continued) {
        const std::vector<KeyValue> keys = text_.finish();
        for (const KeyValue &k : keys) {
            if (k.key == "SendTargets") {
                // "All", this target's name, or in its own session nothing (RFC 7143 appendix C).
                if (k.value == "All" || k.value.empty() || k.value == services_.config.name) {
                    out.push_back({"TargetName", services_.config.name});
                    out.push_back({"TargetAddress", link_->local_address() + ",1"});
                }
            } else if (k.key == "MaxRecvDataSegmentLength") {
                if (!set_parameter(parameters_, Party::initiator, k.key, k.value))
                    out.push_back({k.key, "Reject"});
            } else {
                // Nothing else may be changed after login (RFC 7143 section 13).
                out.push_back({k.key, find_rule(k.key) != nullptr ? "Reject" : "NotUnderstood"});
            }
        }
    }
    if (!goes_on)
        pending_text_ = build_text(out);
    const std::size_t n =
        std::min<std::size_t>(pending_text_.size(), parameters_.max_recv_data_segment_length_initiator);
    const std::vector<std::byte> part(pending_text_.begin(),
                                      pending_text_.begin() + static_cast<std::ptrdiff_t>(n));
    pending_text_.erase(pending_text_.begin(), pending_text_.begin() + static_cast<std::ptrdiff_t>(n));
    TextResponse t;
    t.continued = !pending_text_.empty();
    t.final = !t.continued && !r.continued && r.final;
    t.lun = r.lun;
    t.initiator_task_tag = r.initiator_task_tag;
    // A tag other than the reserved one asks for the initiator's next request (RFC 7143 section 11.11.4).
    t.target_transfer_tag = t.final ? TargetTransferTag::reserved : TargetTransferTag{1};
    t.stat_sn = take_stat_sn();
    t.exp_cmd_sn = session_->exp_cmd_sn();
    t.max_cmd_sn = session_->max_cmd_sn();
    transmit(t.encode(), part);
}

void Connection::on_logout(const IncomingPdu &pdu) {
    const auto request = LogoutRequest::parse(pdu.header);
    if (!request)
        return reject(pdu, 0x09);
    session_->take(request->cmd_sn, request->immediate, [this, weak = weak_from_this(), r = *request] {
        const auto self = weak.lock();
        if (self && session_)
            answer_logout(r);
    });
}

void Connection::answer_logout(const LogoutRequest &r) {
    const auto self = shared_from_this();
    const auto session = session_;
    LogoutResponse answer;
    answer.initiator_task_tag = r.initiator_task_tag;
    answer.time2wait = static_cast<std::uint16_t>(parameters_.default_time2wait);
    answer.time2retain = static_cast<std::uint16_t>(parameters_.default_time2retain);
    const auto other = session->connections().find(r.cid);
    if (r.reason == LogoutReason::remove_for_recovery)
        answer.response = 2; // connection recovery is not supported
    else if (r.reason == LogoutReason::close_connection && other == session->connections().end())
        answer.response = 1; // CID not found
    answer.stat_sn = take_stat_sn();
    answer.exp_cmd_sn = session->exp_cmd_sn();
    answer.max_cmd_sn = session->max_cmd_sn();
    transmit(answer.encode(), {});
    if (answer.response != 0)
        return;
    if (r.reason == LogoutReason::close_connection)
        return other->second->leave("logged out");
    services_.log(fmt::format("{}: session {} logged out", link_->name(), session->number()));
    link_->close_when_sent("logged out");
    sessions_.end_session(*session, "logged out", this, false);
    sessions_.forget(*this);
}

} // namespace iscsiscope::testbed
