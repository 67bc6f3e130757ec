// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/bursts/burst_tracker.h"

#include <algorithm>

namespace iscsiscope {

void BurstTracker::clear() {
    bursts_.clear();
    last_data_out_.reset();
    touched_ = limit;
    allowance_ = 0;
    unsolicited_ = false;
}

WriteBurst &BurstTracker::unsolicited_burst() {
    if (!unsolicited_) {
        unsolicited_ = true;
        bursts_.insert(bursts_.begin(), WriteBurst{});
        if (allowance_ != 0)
            bursts_.front().row.desired_bytes = allowance_;
    }
    return bursts_.front();
}

void BurstTracker::immediate(const Pdu &pdu) {
    unsolicited_burst().immediate_begins(pdu);
}

void BurstTracker::immediate_end(const Pdu &pdu) {
    unsolicited_burst().immediate_ends(pdu);
    touched_ = 0;
}

void BurstTracker::r2t(const Pdu &pdu, std::optional<Time> data_out_under_way) {
    touched_ = bursts_.size();
    if (bursts_.size() >= limit)
        return;
    WriteBurst burst;
    burst.requested(pdu, std::max(last_data_out_, data_out_under_way)); // an empty optional is the least
    bursts_.push_back(burst);
}

WriteBurst *BurstTracker::burst_for(const Pdu &pdu) {
    const auto ttt = static_cast<std::uint32_t>(pdu.view().target_transfer_tag());
    if (pdu.view().target_transfer_tag() == TargetTransferTag::reserved)
        return &unsolicited_burst();
    // The youngest R2Ts are the ones being answered; a target may use a tag again for a later one.
    constexpr std::size_t look_back = 1024;
    std::size_t left = std::min(bursts_.size(), look_back);
    WriteBurst *oldest_open = nullptr;
    for (std::size_t i = bursts_.size(); left > 0; --left, --i) {
        WriteBurst &burst = bursts_[i - 1];
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
    WriteBurst *burst = burst_for(pdu);
    touched_ = burst == nullptr ? limit : static_cast<std::size_t>(burst - bursts_.data());
    if (burst == nullptr)
        return Begins::nothing;
    const Begins begins = burst->first || !burst->row.ttt ? Begins::nothing
                          : burst->r2t                    ? Begins::answers_r2t
                                                          : Begins::r2t_unseen;
    burst->data_out_begins(pdu);
    return begins;
}

DataOutFaults BurstTracker::data_out_end(const Pdu &pdu) {
    last_data_out_ = std::max(last_data_out_.value_or(pdu.delivered), pdu.delivered);
    WriteBurst *burst = burst_for(pdu);
    touched_ = burst == nullptr ? limit : static_cast<std::size_t>(burst - bursts_.data());
    return burst == nullptr ? DataOutFaults{} : burst->data_out_ends(pdu);
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
    BurstRecord row = bursts_[i].record(i == 0 && unsolicited_, command_delivered);
    row.cycle = cycle;
    row.stream = stream;
    row.burst = static_cast<std::uint32_t>(unsolicited_ ? i : i + 1);
    return row;
}

} // namespace iscsiscope
