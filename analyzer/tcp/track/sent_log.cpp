// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/track/sent_log.h"

namespace iscsiscope {
namespace {

// Returns the number of packets, of which an entry holds the low bits, next below `highest`.
std::uint64_t whole(std::uint32_t packets, std::uint64_t highest) {
    return highest - (static_cast<std::uint32_t>(highest) - packets);
}

} // namespace

void SentLog::push(const Segment &s, std::uint64_t from, std::uint64_t to, std::uint64_t before, bool late) {
    const bool behind_all = log_.empty() || log_.back().begin <= from;
    moves_ = std::min(moves_ + moves_an_entry, max_moves);
    if (!behind_all) {
        const std::size_t moved = log_.size() - behind(from);
        if (moved > moves_)
            return;
        moves_ -= static_cast<std::uint32_t>(moved);
    }
    if (log_.size() == most)
        drop_oldest();
    log_.push_back({.begin = from,
                    .first = s.time,
                    .frame = s.frame,
                    .length = static_cast<std::uint32_t>(to - from),
                    .timestamp = s.options.timestamp_value,
                    .flight = 0,
                    .packets_before = static_cast<std::uint32_t>(before),
                    .packets = static_cast<std::uint32_t>(late ? before : packets_),
                    .ip_id = s.has_ip_id ? s.ip_id : std::uint16_t{0},
                    .late = static_cast<std::uint16_t>(late ? 1 : 0),
                    .repeats = 0});
    acked_entries_ += to <= acked_ ? 1 : 0;
    if (behind_all) [[likely]]
        return;
    for (std::size_t i = log_.size() - 1; i > 0 && log_[i - 1].begin > log_[i].begin; --i)
        std::swap(log_[i - 1], log_[i]);
}

void SentLog::drop_oldest() {
    const Sent &e = log_.front();
    while (!copies_.empty() && copies_.front().begin <= e.begin)
        copies_.erase(copies_.begin());
    raise_oldest(e, e.end());
    log_.pop_front();
    acked_entries_ -= acked_entries_ > 0 ? 1 : 0;
}

// Raises the oldest mark to those of the entry that lie not beyond the offset.
void SentLog::raise_oldest(const Sent &e, std::uint64_t up_to) {
    if (e.late != 0)
        return;
    if (e.end() <= up_to && e.end() > oldest_.end)
        oldest_ = {e.end(), whole(e.packets, packets_)};
    else if (e.begin <= up_to && e.begin > oldest_.end)
        oldest_ = {e.begin, whole(e.packets_before, packets_)};
}

void SentLog::reached(std::uint64_t offset, std::uint32_t full) {
    if (offset > end_) { // data that is not in the capture
        extend(offset, full);
        oldest_ = {end_, packets_};
    }
    if (offset <= oldest_.end)
        return;
    for (std::size_t i = acked_entries_; i < log_.size() && log_[i].begin <= offset; ++i)
        raise_oldest(log_[i], offset);
}

// Between two marks a large frame consists of packets of one full segment.
std::uint64_t SentLog::packets_to(std::uint64_t offset, std::uint32_t full) const {
    if (offset >= end_)
        return packets_;
    if (offset <= oldest_.end) {
        const std::uint64_t back = (oldest_.end - offset + full - 1) / full;
        return oldest_.packets - std::min(back, oldest_.packets);
    }
    const std::size_t next = behind(offset - 1);
    std::size_t i = next;
    while (i > 0 && log_[i - 1].late != 0)
        --i;
    Mark below = oldest_, above{end_, packets_};
    const auto rise = [&](const Mark &m) { below = m.end > below.end ? m : below; };
    if (i > 0 && log_[i - 1].end() >= offset) { // it lies in this entry
        const Sent &e = log_[i - 1];
        rise({e.begin, whole(e.packets_before, packets_)});
        above = {e.end(), whole(e.packets, packets_)};
    } else { // it lies in the hole behind it
        if (i > 0)
            rise({log_[i - 1].end(), whole(log_[i - 1].packets, packets_)});
        std::size_t k = next;
        while (k < log_.size() && log_[k].late != 0)
            ++k;
        if (k < log_.size())
            above = {log_[k].begin, whole(log_[k].packets_before, packets_)};
    }
    if (above.end == offset)
        return above.packets;
    return std::min(below.packets + (offset - below.end) / full, above.packets - 1);
}

} // namespace iscsiscope
