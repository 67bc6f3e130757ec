// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/bursts/burst_tracker.h"

#include <algorithm>

namespace iscsiscope {

void BurstTracker::clear() {
    bursts_.clear();
    last_data_out_.reset();
    touched_ = limit;
    allowance_ = 0;
    unsolicited_ = out_of_sequence_ = overrun_ = false;
}

BurstTracker::Burst &BurstTracker::unsolicited_burst() {
    if (!unsolicited_) {
        unsolicited_ = true;
        bursts_.insert(bursts_.begin(), Burst{});
        if (allowance_ != 0)
            bursts_.front().row.desired_bytes = allowance_;
    }
    return bursts_.front();
}

void BurstTracker::immediate(const Pdu &pdu) {
    Burst &burst = unsolicited_burst();
    burst.last = burst.first ? std::max(burst.last, pdu.header_delivered) : pdu.header_delivered;
    burst.first = pdu.header_delivered;
    burst.row.first_frame = pdu.header_frame;
    burst.row.last_frame = pdu.header_frame;
}

void BurstTracker::immediate_end(const Pdu &pdu) {
    Burst &burst = unsolicited_burst();
    burst.last = burst.first ? std::max(burst.last, pdu.delivered) : pdu.delivered;
    burst.row.last_frame = pdu.delivered_frame;
    burst.row.sent_bytes += pdu.data_length;
    burst.row.final_seen = pdu.view().final();
    touched_ = 0;
}

void BurstTracker::r2t(const Pdu &pdu, std::optional<Time> data_out_under_way) {
    touched_ = bursts_.size();
    if (bursts_.size() >= limit)
        return;
    const HeaderView v = pdu.view();
    Burst burst;
    burst.r2t = pdu.delivered;
    burst.r2t_seen = pdu.first_seen;
    burst.r2t_seen_frame = pdu.frame;
    burst.data_before_r2t = std::max(last_data_out_, data_out_under_way); // an empty optional is the least
    if (pdu.knows(header_field::data_sn))
        burst.row.r2t_sn = v.r2t_sn().value;
    if (pdu.knows(header_field::target_transfer_tag))
        burst.row.ttt = static_cast<std::uint32_t>(v.target_transfer_tag());
    if (pdu.knows(header_field::buffer_offset))
        burst.row.offset = v.buffer_offset();
    if (pdu.knows(header_field::desired_length) && v.desired_data_transfer_length() != 0)
        burst.row.desired_bytes = v.desired_data_transfer_length();
    burst.row.r2t_frame = pdu.delivered_frame;
    bursts_.push_back(burst);
}

BurstTracker::Burst *BurstTracker::burst_for(const Pdu &pdu) {
    const auto ttt = static_cast<std::uint32_t>(pdu.view().target_transfer_tag());
    if (pdu.view().target_transfer_tag() == TargetTransferTag::reserved)
        return &unsolicited_burst();
    // The youngest R2Ts are the ones being answered; a target may use a tag again for a later one.
    constexpr std::size_t look_back = 1024;
    std::size_t left = std::min(bursts_.size(), look_back);
    Burst *oldest_open = nullptr;
    for (std::size_t i = bursts_.size(); left > 0; --left, --i) {
        Burst &burst = bursts_[i - 1];
        if (burst.row.ttt != ttt)
            continue;
        if (!burst.row.final_seen)
            oldest_open = &burst;
        else if (oldest_open == nullptr)
            return &burst; // data after the F bit still belongs to the burst
    }
    if (oldest_open != nullptr)
        return oldest_open;
    if (bursts_.size() >= limit)
        return nullptr;
    bursts_.push_back({}); // its R2T is not in the capture
    bursts_.back().row.ttt = ttt;
    if (pdu.knows(header_field::buffer_offset))
        bursts_.back().row.offset = pdu.view().buffer_offset();
    return &bursts_.back();
}

BurstTracker::Begins BurstTracker::data_out_begin(const Pdu &pdu) {
    Burst *burst = burst_for(pdu);
    touched_ = burst == nullptr ? limit : static_cast<std::size_t>(burst - bursts_.data());
    if (burst == nullptr)
        return Begins::nothing;
    const Begins begins = burst->first || !burst->row.ttt ? Begins::nothing
                          : burst->r2t                    ? Begins::answers_r2t
                                                          : Begins::r2t_unseen;
    if (!burst->first) {
        burst->first = pdu.first_seen;
        burst->last = pdu.first_seen;
        burst->row.first_frame = pdu.frame;
        burst->row.last_frame = pdu.frame;
        if (burst->r2t)
            burst->row.burst_response = std::max(Duration{}, pdu.first_seen - *burst->r2t);
    } else if (pdu.first_seen < *burst->first) {
        burst->first = pdu.first_seen; // a later Data-Out overtook it
        burst->row.first_frame = pdu.frame;
        if (burst->r2t)
            burst->row.burst_response = std::max(Duration{}, pdu.first_seen - *burst->r2t);
    }
    return begins;
}

void BurstTracker::data_out_end(const Pdu &pdu) {
    const HeaderView v = pdu.view();
    last_data_out_ = std::max(last_data_out_.value_or(pdu.delivered), pdu.delivered);
    out_of_sequence_ = overrun_ = false;
    Burst *burst = burst_for(pdu);
    touched_ = burst == nullptr ? limit : static_cast<std::size_t>(burst - bursts_.data());
    if (burst == nullptr)
        return;
    burst->last = burst->first ? std::max(burst->last, pdu.delivered) : pdu.delivered;
    burst->row.last_frame = pdu.delivered_frame;
    burst->row.sent_bytes += pdu.data_length;
    ++burst->row.pdus;
    burst->row.final_seen = burst->row.final_seen || v.final();
    const std::uint32_t data_sn = pdu.knows(header_field::data_sn) ? v.data_sn().value : burst->next_data_sn;
    out_of_sequence_ = data_sn != burst->next_data_sn;
    burst->next_data_sn = data_sn + 1;
    overrun_ = burst->row.desired_bytes && burst->row.sent_bytes > *burst->row.desired_bytes;
}

// The time from the command, or from the last data before the R2T if that is later, to the R2T.
std::optional<Duration> BurstTracker::r2t_wait(const Burst &burst, std::optional<Time> command_delivered) {
    const std::optional<Time> since = std::max(command_delivered, burst.data_before_r2t);
    if (!burst.r2t || !since)
        return std::nullopt;
    return std::max(Duration{}, *burst.r2t - *since);
}

// The wait for the R2T of a burst. after_data: a wait that begins with the end of the bursts before; their
// data may have been under way when the R2T passed.
TargetWait BurstTracker::wait_for(const Burst &burst, const TargetWait &status,
                                  const TargetWait &after_data) {
    TargetWait wait = after_data;
    if (wait.from > burst.r2t_seen) {
        wait.from = std::max(status.from, burst.data_before_r2t.value_or(status.from));
        wait.last_asked = burst.r2t_seen_frame;
    }
    wait.to = burst.r2t_seen;
    wait.answer = burst.r2t_seen_frame;
    return wait;
}

Phases BurstTracker::phases(const WriteTimes &times, WritePhases &scratch) const {
    WriteTimes with = times;
    scratch.clear();
    for (std::size_t i = 0; i < bursts_.size(); ++i)
        if (i == 0 && unsolicited_)
            with.unsolicited_end = bursts_[i].last;
        else
            scratch.add({bursts_[i].r2t, bursts_[i].first, bursts_[i].last});
    return scratch.partition(with);
}

BurstRecord BurstTracker::row(std::size_t i, CycleId cycle, StreamId stream,
                              std::optional<Time> command_delivered) const {
    const Burst &burst = bursts_[i];
    BurstRecord row = burst.row;
    row.cycle = cycle;
    row.stream = stream;
    row.burst = static_cast<std::uint32_t>(unsolicited_ ? i : i + 1);
    if (i == 0 && unsolicited_) {
        row.start = command_delivered.value_or(burst.first.value_or(burst.last));
        row.end = std::max(burst.last, row.start);
        if (command_delivered) // it counts from there
            row.burst_data = row.end - row.start;
        return row;
    }
    row.r2t_wait = r2t_wait(burst, command_delivered);
    row.start = burst.r2t ? *burst.r2t : burst.first.value_or(command_delivered.value_or(burst.last));
    row.end = row.start;
    if (burst.first) {
        row.burst_data = std::max(Duration{}, burst.last - *burst.first);
        row.end = std::max(row.start, burst.last);
    }
    return row;
}

} // namespace iscsiscope
