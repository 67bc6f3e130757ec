// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/bursts/write_burst.h"

#include <algorithm>

namespace iscsiscope {
namespace {

// The time from the command, or from the last data before the R2T if that is later, to the R2T.
std::optional<Duration> r2t_wait(const WriteBurst &burst, std::optional<Time> command_delivered) {
    const std::optional<Time> since = std::max(command_delivered, burst.data_before_r2t);
    if (!burst.r2t || !since)
        return std::nullopt;
    return std::max(Duration{}, *burst.r2t - *since);
}

} // namespace

void WriteBurst::requested(const Pdu &pdu, std::optional<Time> data_before) {
    const HeaderView v = pdu.view();
    r2t = pdu.delivered;
    r2t_seen = pdu.first_seen;
    r2t_seen_frame = pdu.frame;
    data_before_r2t = data_before;
    if (pdu.knows(header_field::data_sn))
        row.r2t_sn = v.r2t_sn().value;
    if (pdu.knows(header_field::target_transfer_tag))
        row.ttt = static_cast<std::uint32_t>(v.target_transfer_tag());
    if (pdu.knows(header_field::buffer_offset))
        row.offset = v.buffer_offset();
    if (pdu.knows(header_field::desired_length) && v.desired_data_transfer_length() != 0)
        row.desired_bytes = v.desired_data_transfer_length();
    row.r2t_frame = pdu.delivered_frame;
}

void WriteBurst::immediate_begins(const Pdu &pdu) {
    last = first ? std::max(last, pdu.header_delivered) : pdu.header_delivered;
    first = pdu.header_delivered;
    row.first_frame = pdu.header_frame;
    row.last_frame = pdu.header_frame;
}

void WriteBurst::immediate_ends(const Pdu &pdu) {
    last = first ? std::max(last, pdu.delivered) : pdu.delivered;
    row.last_frame = pdu.delivered_frame;
    row.sent_bytes += pdu.data_length;
    row.final_seen = pdu.view().final();
}

void WriteBurst::data_out_begins(const Pdu &pdu) {
    if (!first) {
        first = pdu.first_seen;
        last = pdu.first_seen;
        row.first_frame = pdu.frame;
        row.last_frame = pdu.frame;
        if (r2t)
            row.burst_response = std::max(Duration{}, pdu.first_seen - *r2t);
    } else if (pdu.first_seen < *first) {
        first = pdu.first_seen; // a later Data-Out overtook it
        row.first_frame = pdu.frame;
        if (r2t)
            row.burst_response = std::max(Duration{}, pdu.first_seen - *r2t);
    }
}

DataOutFaults WriteBurst::data_out_ends(const Pdu &pdu) {
    const HeaderView v = pdu.view();
    last = first ? std::max(last, pdu.delivered) : pdu.delivered;
    row.last_frame = pdu.delivered_frame;
    row.sent_bytes += pdu.data_length;
    ++row.pdus;
    row.final_seen = row.final_seen || v.final();
    const std::uint32_t data_sn = pdu.knows(header_field::data_sn) ? v.data_sn().value : next_data_sn;
    const DataOutFaults faults{data_sn != next_data_sn,
                               row.desired_bytes && row.sent_bytes > *row.desired_bytes};
    next_data_sn = data_sn + 1;
    return faults;
}

TargetWait WriteBurst::wait_for_r2t(const TargetWait &status, const TargetWait &after_data) const {
    TargetWait wait = after_data;
    if (wait.from > r2t_seen) {
        wait.from = std::max(status.from, data_before_r2t.value_or(status.from));
        wait.last_asked = r2t_seen_frame;
    }
    wait.to = r2t_seen;
    wait.answer = r2t_seen_frame;
    return wait;
}

BurstRecord WriteBurst::record(bool of_unsolicited, std::optional<Time> command_delivered) const {
    BurstRecord record = row;
    if (of_unsolicited) {
        record.start = command_delivered.value_or(first.value_or(last));
        record.end = std::max(last, record.start);
        if (command_delivered) // it counts from there
            record.burst_data = record.end - record.start;
        return record;
    }
    record.r2t_wait = r2t_wait(*this, command_delivered);
    record.start = r2t ? *r2t : first.value_or(command_delivered.value_or(last));
    record.end = record.start;
    if (first) {
        record.burst_data = std::max(Duration{}, last - *first);
        record.end = std::max(record.start, last);
    }
    return record;
}

} // namespace iscsiscope
