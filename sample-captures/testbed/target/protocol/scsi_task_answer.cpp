// SPDX-License-Identifier: GPL-2.0-or-later
// What a task sends at its end: Data-In, produced as its connection asks for it, and the status.
#include "sample-captures/testbed/target/protocol/scsi_task.h"

#include "analyzer/iscsi/codec/wire.h"
#include "sample-captures/testbed/common/clock.h"

#include <algorithm>
#include <utility>

namespace iscsiscope::testbed {
namespace {

// Data is taken from the medium in pieces of at most about this size.
constexpr std::size_t piece_bytes = std::size_t{256} << 10;

} // namespace

void ScsiTask::finish(ScsiResult result) {
    if (std::exchange(finished_, true))
        return;
    const auto self = shared_from_this();
    if (record_)
        record_->serviced_ns = realtime_ns();

    // Residuals: what the command moves against what the initiator expects (RFC 7143 section 11.4.5).
    const std::uint32_t edtl = command_.expected_data_transfer_length;
    const std::uint64_t gives = result.data_in_length();
    const std::uint64_t moves = gives == 0 ? needed_ : gives;
    overflow_ = moves > edtl ? static_cast<std::uint32_t>(moves - edtl) : 0;
    underflow_ = moves < edtl ? static_cast<std::uint32_t>(edtl - moves) : 0;
    given_ = static_cast<std::uint32_t>(command_.read ? std::min<std::uint64_t>(gives, edtl) : 0);
    data_ = std::move(result.data_in);
    result_ = std::move(result);
    note_status();
    dropped_ = services_.counters.drop_response(services_.config.faults.drop_response);
    if (given_ > 0)
        connection_.send_data_of(self);
    else
        end_answer();
}

void ScsiTask::note_status() {
    if (!record_)
        return;
    record_->status = static_cast<std::uint8_t>(result_.status);
    record_->residual = std::int64_t{underflow_} - std::int64_t{overflow_};
}

// Before MaxCmdSN is written into the status PDU. A task whose response is dropped stays known, for the
// initiator to abort.
void ScsiTask::leave_session() {
    if (!dropped_)
        session_.end_task(*this);
}

bool ScsiTask::send_data(std::size_t budget) {
    if (aborted_)
        return false;
    const auto self = shared_from_this();
    const std::uint32_t begin = sent_;
    if (given_ - sent_ <= budget)
        leave_session();
    while (sent_ < given_ && sent_ - begin < budget) {
        if (send_piece(budget - (sent_ - begin)))
            continue;
        // The medium failed in the middle: what was sent stands, the status reports the rest.
        result_ = ScsiResult::check(sense::medium_error_read);
        overflow_ = 0;
        underflow_ = command_.expected_data_transfer_length - sent_;
        given_ = sent_;
        collapsed_ = false;
        note_status();
    }
    if (sent_ < given_)
        return true;
    end_answer();
    return false;
}

void ScsiTask::end_answer() {
    leave_session();
    data_ = Buffer();
    if (dropped_) {
        if (record_)
            record_->outcome = "dropped";
    } else if (!collapsed_) {
        send_response(result_);
    }
}

// At least one PDU, else not much more than `most` bytes. False: the medium cannot be read, nothing is sent.
bool ScsiTask::send_piece(std::size_t most) {
    const OperationalParameters &p = connection_.parameters();
    const std::uint32_t segment =
        std::min(p.max_recv_data_segment_length_initiator, connection_.largest_data_in());
    // The lengths of the PDUs first, so that the medium is read once.
    std::uint32_t total = 0;
    for (std::uint32_t burst = burst_; total < std::min(most, piece_bytes) && sent_ + total < given_;) {
        const std::uint32_t n = std::min({segment, given_ - sent_ - total, p.max_burst_length - burst});
        total += n;
        burst = (burst + n) % p.max_burst_length;
    }
    const auto piece = std::make_shared<Buffer>(total);
    if (result_.medium_data) {
        LogicalUnit *unit = services_.units.find(lun_);
        if (unit == nullptr || !unit->disk->store().read(result_.medium_data->offset + sent_, piece->bytes()))
            return false;
    } else {
        std::copy_n(data_.bytes().begin() + sent_, total, piece->bytes().begin());
    }
    for (std::uint32_t at = 0; at < total;) {
        const std::uint32_t n = std::min({segment, total - at, p.max_burst_length - burst_});
        send_data_in({piece, piece->bytes().subspan(at, n)});
        at += n;
    }
    return true;
}

void ScsiTask::send_data_in(const DataPart &part) {
    const Faults &faults = services_.config.faults;
    auto &counters = services_.counters;
    const auto n = static_cast<std::uint32_t>(part.bytes.size());
    const bool last = sent_ + n == given_;
    DataIn d;
    burst_ += n;
    d.final = last || burst_ == connection_.parameters().max_burst_length;
    if (d.final)
        burst_ = 0;
    d.initiator_task_tag = command_.initiator_task_tag;
    d.exp_cmd_sn = session_.exp_cmd_sn();
    d.max_cmd_sn = session_.max_cmd_sn();
    d.data_sn = DataSn{data_in_pdus_++};
    d.buffer_offset = sent_;
    // Status rides in the last Data-In only when all went well (RFC 7143 section 11.7.3).
    if (last && !dropped_ && faults.phase_collapse && result_.status == ScsiStatus::good) {
        collapsed_ = true;
        d.has_status = true;
        d.status = static_cast<std::uint8_t>(result_.status);
        d.stat_sn = connection_.take_stat_sn();
        d.overflow = overflow_ > 0;
        d.underflow = underflow_ > 0;
        d.residual_count = overflow_ + underflow_;
    }
    OutgoingPdu out;
    out.header = d.encode();
    out.data = part.bytes;
    out.owner = part.owner;
    out.spoil_header_digest = counters.spoil_header(faults.spoil_header_digest);
    out.spoil_data_digest = counters.spoil_data(faults.spoil_data_digest);
    if (record_)
        out.first_byte_handed = [record = record_, with = d.has_status](std::int64_t ns) {
            record->data_moved(ns);
            if (with)
                record->status_handed(ns);
        };
    sent_ += n;
    connection_.transmit(std::move(out));
}

void ScsiTask::send_response(const ScsiResult &result) {
    ScsiResponse r;
    r.status = static_cast<std::uint8_t>(result.status);
    r.initiator_task_tag = command_.initiator_task_tag;
    r.stat_sn = connection_.take_stat_sn();
    r.exp_cmd_sn = session_.exp_cmd_sn();
    r.max_cmd_sn = session_.max_cmd_sn();
    r.exp_data_sn = DataSn{data_in_pdus_ + next_r2t_sn_.value};
    r.overflow = overflow_ > 0;
    r.underflow = underflow_ > 0;
    r.residual_count = overflow_ + underflow_;
    auto data = std::make_shared<std::vector<std::byte>>();
    if (result.sense) {
        const LogicalUnit *unit = services_.units.find(lun_);
        const auto bytes = encode_sense(*result.sense, unit != nullptr && unit->disk->descriptor_sense());
        data->resize(2);
        wire::store16(data->data(), static_cast<std::uint16_t>(bytes.size()));
        data->insert(data->end(), bytes.begin(), bytes.end());
    }
    OutgoingPdu out;
    out.header = r.encode();
    out.data = *data;
    out.owner = data;
    if (record_)
        out.first_byte_handed = [record = record_](std::int64_t ns) { record->status_handed(ns); };
    connection_.transmit(std::move(out));
}

} // namespace iscsiscope::testbed
