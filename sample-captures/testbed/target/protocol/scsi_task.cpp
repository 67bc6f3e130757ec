// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/protocol/scsi_task.h"

#include "analyzer/iscsi/codec/wire.h"
#include "analyzer/iscsi/scsi/lun.h"
#include "sample-captures/testbed/common/clock.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace iscsiscope::testbed {
namespace {

constexpr std::uint32_t none_such = 0xffffffff; // a LUN field that names no unit

std::optional<std::int64_t> signed_of(const std::optional<std::uint64_t> &v) {
    return v ? std::optional(static_cast<std::int64_t>(*v)) : std::nullopt;
}

} // namespace

ScsiTask::ScsiTask(TargetServices &services, TaskSession &session, TaskConnection &connection,
                   const ScsiCommand &command, std::int64_t received_ns)
    : services_(services), session_(session), connection_(connection), command_(command),
      info_(parse_cdb(command.cdb, DeviceType::disk)), lun_(lun_number(command.lun).value_or(none_such)),
      record_(services.truth.command()) {
    needed_ = services.units.data_out_length(lun_, command_.cdb);
    if (command_.write)
        expected_ = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(needed_, command_.expected_data_transfer_length));
    data_ = Buffer(expected_);
    unsolicited_open_ = !command_.final;
    if (!record_)
        return;
    record_->session = session.number();
    record_->connection = connection.name();
    record_->cid = connection.cid();
    record_->itt = static_cast<std::uint32_t>(command.initiator_task_tag);
    record_->cmd_sn = command.cmd_sn.value;
    record_->immediate = command.immediate;
    record_->read = command.read;
    record_->write = command.write;
    record_->opcode = wire::load8(command.cdb.data());
    record_->lun = lun_;
    record_->lba = signed_of(info_.lba);
    record_->blocks = signed_of(info_.blocks);
    record_->edtl = command.expected_data_transfer_length;
    record_->received_ns = received_ns;
}

// The first of several errors is reported (RFC 7143 section 11.4.7.2).
void ScsiTask::refuse_data(const Sense &why) {
    if (!refused_data_)
        refused_data_ = why;
}

// Bytes beyond what the command takes are dropped: EDTL may be more than the CDB moves.
void ScsiTask::place(std::uint32_t offset, std::span<const std::byte> data) {
    if (record_ && !data.empty())
        record_->data_moved(realtime_ns());
    if (offset < expected_) {
        const std::size_t n = std::min<std::size_t>(data.size(), expected_ - offset);
        std::copy_n(data.begin(), n, data_.bytes().begin() + offset);
        received_ = offset + static_cast<std::uint32_t>(n);
    }
}

void ScsiTask::on_command_data(std::span<const std::byte> data, bool digest_ok) {
    const OperationalParameters &p = connection_.parameters();
    if (!data.empty() && (!command_.write || !p.immediate_data))
        refuse_data(sense::unexpected_unsolicited_data);
    if (unsolicited_open_ && (!command_.write || p.initial_r2t))
        refuse_data(sense::unexpected_unsolicited_data);
    if (data.size() > std::min(p.first_burst_length, command_.expected_data_transfer_length))
        refuse_data(sense::incorrect_amount_of_data);
    if (!digest_ok)
        refuse_data(sense::protocol_service_crc_error);
    if (!refused_data_)
        place(0, data);
    unsolicited_ = static_cast<std::uint32_t>(data.size());
}

void ScsiTask::on_data_out(const DataOut &d, std::span<const std::byte> data, bool digest_ok) {
    const auto self = shared_from_this();
    if (finished_)
        return;
    if (!digest_ok)
        refuse_data(sense::protocol_service_crc_error);
    if (d.target_transfer_tag == TargetTransferTag::reserved) {
        if (!unsolicited_open_) {
            refuse_data(sense::unexpected_unsolicited_data);
            return proceed();
        }
        // A number out of sequence is data that was lost: at error recovery level 0 the task ends so
        // (RFC 7143 sections 7.8 and 11.4.7.2).
        if (d.data_sn != unsolicited_data_sn_)
            refuse_data(sense::protocol_service_crc_error);
        const std::uint32_t limit =
            std::min(connection_.parameters().first_burst_length, command_.expected_data_transfer_length);
        if (d.buffer_offset != unsolicited_ || data.size() > limit - unsolicited_)
            refuse_data(sense::incorrect_amount_of_data);
        ++unsolicited_data_sn_;
        if (!refused_data_) {
            place(d.buffer_offset, data);
            unsolicited_ += static_cast<std::uint32_t>(data.size());
        }
        unsolicited_open_ = !d.final;
        return proceed();
    }
    const auto asked = std::find_if(asked_.begin(), asked_.end(), [&](const Asked &a) {
        return a.r2t.target_transfer_tag == d.target_transfer_tag;
    });
    if (asked == asked_.end())
        return; // of an R2T answered in full, or never sent
    const std::uint32_t length = asked->r2t.desired_data_transfer_length;
    if (d.data_sn != asked->next_data_sn)
        refuse_data(sense::protocol_service_crc_error);
    if (d.buffer_offset != asked->r2t.buffer_offset + asked->received ||
        data.size() > length - asked->received)
        refuse_data(sense::incorrect_amount_of_data);
    ++asked->next_data_sn;
    if (!refused_data_) {
        place(d.buffer_offset, data);
        asked->received += static_cast<std::uint32_t>(data.size());
    }
    if (d.final) {
        if (asked->received != length)
            refuse_data(sense::incorrect_amount_of_data);
        asked_.erase(asked);
    }
    proceed();
}

void ScsiTask::deliver() {
    delivered_ = true;
    if (record_)
        record_->started_ns = realtime_ns();
    proceed();
}

void ScsiTask::abort() {
    finished_ = aborted_ = true;
    timer_.reset();
}

// What is to be done next, whatever came last.
void ScsiTask::proceed() {
    if (!delivered_ || executing_ || finished_)
        return;
    const auto self = shared_from_this();
    if (refused_data_)
        return finish(ScsiResult::check(*refused_data_));
    if (unsolicited_open_)
        return;
    if (asked_.empty() && received_ >= expected_)
        return injected_status() ? void() : execute();
    if (next_ask_ < received_)
        next_ask_ = received_;
    if (asked_.size() < connection_.parameters().max_outstanding_r2t && next_ask_ < expected_ && !timer_)
        ask_for_data();
}

void ScsiTask::ask_for_data() {
    if (injected_status())
        return;
    const Nanoseconds delay = services_.config.faults.r2t_delay;
    if (delay.count() == 0) {
        while (asked_.size() < connection_.parameters().max_outstanding_r2t && next_ask_ < expected_)
            send_r2t();
        return;
    }
    Timers &timers = services_.timers;
    timer_ = timers.at(timers.now() + delay, [this, self = weak_from_this()] {
        const auto alive = self.lock();
        if (!alive || finished_)
            return;
        timer_.reset();
        if (next_ask_ < expected_)
            send_r2t();
        proceed();
    });
}

void ScsiTask::send_r2t() {
    const Faults &faults = services_.config.faults;
    const OperationalParameters &p = connection_.parameters();
    std::uint32_t length = std::min(p.max_burst_length, expected_ - next_ask_);
    if (faults.r2t_cap != 0)
        length = std::min(length, faults.r2t_cap);
    std::uint32_t &ttt = services_.next_target_transfer_tag;
    if (ttt == static_cast<std::uint32_t>(TargetTransferTag::reserved))
        ttt = 0;
    R2t r;
    r.lun = command_.lun;
    r.initiator_task_tag = command_.initiator_task_tag;
    r.target_transfer_tag = TargetTransferTag{ttt++};
    r.stat_sn = connection_.next_stat_sn();
    r.exp_cmd_sn = session_.exp_cmd_sn();
    r.max_cmd_sn = session_.max_cmd_sn();
    r.r2t_sn = next_r2t_sn_;
    r.buffer_offset = next_ask_;
    r.desired_data_transfer_length = length;
    ++next_r2t_sn_;
    next_ask_ += length;
    asked_.push_back({r, 0, DataSn{0}});
    OutgoingPdu out;
    out.header = r.encode();
    if (record_) {
        out.first_byte_handed = [record = record_, index = record_->r2ts.size()](std::int64_t ns) {
            record->r2ts[index].time_ns = ns;
        };
        record_->r2ts.push_back(
            {0, static_cast<std::uint32_t>(r.target_transfer_tag), r.r2t_sn.value, r.buffer_offset, length});
    }
    connection_.transmit(std::move(out));
}

// TASK SET FULL, BUSY and the like on purpose: once a command, before it has moved any solicited data.
bool ScsiTask::injected_status() {
    if (next_r2t_sn_ != DataSn{0} || executing_)
        return false;
    const Faults &faults = services_.config.faults;
    auto &counters = services_.counters;
    if (counters.task_set_full(faults.task_set_full)) {
        finish(ScsiResult::of(ScsiStatus::task_set_full));
        return true;
    }
    if (counters.busy(faults.busy)) {
        finish(ScsiResult::of(ScsiStatus::busy));
        return true;
    }
    if (info_.group != CommandGroup::read && info_.group != CommandGroup::write)
        return false;
    if (counters.reservation_conflict(faults.reservation_conflict)) {
        finish(ScsiResult::of(ScsiStatus::reservation_conflict));
        return true;
    }
    if (counters.check_condition(faults.check_condition)) {
        finish(ScsiResult::check(faults.sense));
        return true;
    }
    return false;
}

void ScsiTask::execute() {
    executing_ = true;
    LogicalUnits &units = services_.units;
    ScsiRequest request;
    request.nexus = session_.nexus();
    request.cdb = command_.cdb;
    request.info = info_;
    request.data_out = data_.bytes();
    request.expected_data_out = command_.write ? command_.expected_data_transfer_length : 0;
    auto result = std::make_shared<ScsiResult>(units.execute(lun_, request));
    data_ = Buffer(); // not kept for as long as the access takes
    access(result, 0);
}

// The medium's time, from the byte `begin` of the access on: at once, or piece by piece.
void ScsiTask::access(const std::shared_ptr<ScsiResult> &result, std::uint64_t begin) {
    LogicalUnit *unit = services_.units.find(lun_);
    if (unit == nullptr || !unit->service || !result->access)
        return finish(std::move(*result));
    Access part = *result->access;
    const std::uint64_t end = part.length;
    part.offset += begin;
    part.length = end - begin;
    if (services_.config.faults.access_by_send_buffer && !part.write)
        part.length =
            std::min<std::uint64_t>(part.length, services_.config.sockets.send_buffer.value_or(part.length));
    const std::uint64_t next = begin + part.length;
    Timers &timers = services_.timers;
    const Moment now = timers.now();
    const Moment done = unit->service->finish(part, now);
    if (done <= now && next >= end)
        return finish(std::move(*result));
    timer_ = timers.at(done, [this, self = weak_from_this(), result, next, end] {
        const auto alive = self.lock();
        if (!alive)
            return;
        if (next < end)
            access(std::shared_ptr(result), next); // its own: the timer that holds this one may go
        else
            finish(std::move(*result));
    });
}

} // namespace iscsiscope::testbed
