// SPDX-License-Identifier: GPL-2.0-or-later
// SentLog: the ranges of bytes that one sender has sent and may send again, each with the frame that first
// carried it. Sorted by offset; at most 8192 ranges, the oldest are discarded first.
#pragma once

#include "analyzer/base/time.h"
#include "analyzer/capture/segment.h"
#include "analyzer/tcp/stream/bounded_ring.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace iscsiscope {

class SentLog {
public:
    struct Sent {
        std::uint64_t begin = 0;        // offset in the stream
        Time first{};                   // time of the frame that first carried it
        FrameNumber frame = 0;          // that frame
        std::uint32_t length = 0;       // bytes
        std::uint32_t timestamp = 0;    // TSval of that frame
        std::uint32_t flight = 0;       // bytes in flight when it was sent, itself included; 0: unknown
        std::uint16_t ip_id = 0;        // of that frame; 0: none
        std::uint16_t late : 1 = 0;     // it passed after bytes of higher offset
        std::uint16_t repeats : 15 = 0; // times the bytes passed again; saturating

        std::uint64_t end() const { return begin + length; }
    };

    // The segment carries [from, to), which had not passed before. late: bytes of higher offset had.
    void add(const Segment &s, std::uint64_t from, std::uint64_t to) { add(s, from, to, false); }
    void add_late(const Segment &s, std::uint64_t from, std::uint64_t to) { add(s, from, to, true); }

    // Stores the bytes in flight of the segment that ends at this offset, if it was the last one added.
    void note_flight(std::uint64_t end, std::uint64_t flight) {
        if (!log_.empty() && log_.back().end() == end)
            log_.back().flight =
                static_cast<std::uint32_t>(std::min<std::uint64_t>(flight, ~std::uint32_t{0}));
    }

    // Counts a repeat of the entry. Returns the time of the repeat before; empty: this is the first.
    std::optional<Time> repeated(Sent &e, Time now) {
        const auto at = std::lower_bound(copies_.begin(), copies_.end(), e.begin,
                                         [](const Copy &c, std::uint64_t begin) { return c.begin < begin; });
        if (e.repeats < max_repeats)
            ++e.repeats;
        if (at == copies_.end() || at->begin != e.begin) {
            copies_.insert(at, {e.begin, now});
            return std::nullopt;
        }
        return std::exchange(at->last, now);
    }

    // Returns the entry that holds this offset; null if none.
    Sent *holding(std::uint64_t offset) {
        const std::size_t i = behind(offset);
        return i > 0 && log_[i - 1].end() > offset ? &log_[i - 1] : nullptr;
    }
    // Returns the first entry that begins at or beyond this offset; null if none.
    const Sent *first_from(std::uint64_t offset) {
        const std::size_t i = offset == 0 ? 0 : behind(offset - 1);
        return i < log_.size() ? &log_[i] : nullptr;
    }
    // Returns the mean time of a step of the sender's timestamp clock over the entries kept; empty if they
    // span less than eight steps.
    std::optional<Duration> timestamp_step() const {
        if (log_.empty())
            return std::nullopt;
        const Sent &a = log_.front(), &b = log_.back();
        const auto steps = static_cast<std::int32_t>(b.timestamp - a.timestamp);
        if (steps < 8 || b.first <= a.first)
            return std::nullopt;
        return (b.first - a.first) / steps;
    }
    // Calls visit(Sent &) for each entry that overlaps [from, to), in order.
    template <class Visitor>
    void visit(std::uint64_t from, std::uint64_t to, Visitor visitor) {
        std::size_t i = behind(from);
        if (i > 0 && log_[i - 1].end() > from)
            --i;
        for (; i < log_.size() && log_[i].begin < to; ++i)
            visitor(log_[i]);
    }

    // The bytes below the offset are acknowledged: calls visit(const Sent &) for each entry that is newly
    // acknowledged as a whole. The last 32 acknowledged entries are kept, for repeats already in flight.
    template <class Visitor>
    void acknowledged(std::uint64_t offset, Visitor visitor) {
        acked_ = std::max(acked_, offset);
        for (; acked_entries_ < log_.size() && log_[acked_entries_].end() <= offset; ++acked_entries_)
            visitor(log_[acked_entries_]);
        while (log_.size() > kept && acked_entries_ > 0)
            drop_oldest();
    }

private:
    static constexpr std::uint16_t most = 8192, kept = 32;
    static constexpr std::uint16_t max_repeats = 0x7fff;

    struct Copy {
        std::uint64_t begin = 0; // offset of the entry
        Time last{};             // time of its last repeat
    };

    void add(const Segment &s, std::uint64_t from, std::uint64_t to, bool late) {
        if (log_.size() == most)
            drop_oldest();
        const bool behind_all = log_.empty() || log_.back().begin <= from;
        log_.push_back({.begin = from,
                        .first = s.time,
                        .frame = s.frame,
                        .length = static_cast<std::uint32_t>(to - from),
                        .timestamp = s.options.timestamp_value,
                        .flight = 0,
                        .ip_id = s.has_ip_id ? s.ip_id : std::uint16_t{0},
                        .late = static_cast<std::uint16_t>(late ? 1 : 0),
                        .repeats = 0});
        acked_entries_ += to <= acked_ ? 1 : 0;
        if (!behind_all) [[unlikely]]
            sort_in();
    }

    // Moves the last entry to its place in the order.
    void sort_in() {
        for (std::size_t i = log_.size() - 1; i > 0 && log_[i - 1].begin > log_[i].begin; --i)
            std::swap(log_[i - 1], log_[i]);
    }

    void drop_oldest() {
        while (!copies_.empty() && copies_.front().begin <= log_.front().begin)
            copies_.erase(copies_.begin());
        log_.pop_front();
        acked_entries_ -= acked_entries_ > 0 ? 1 : 0;
    }

    // Index of the first entry that begins beyond the offset.
    std::size_t behind(std::uint64_t offset) const {
        std::size_t low = 0, high = log_.size();
        if (high > 0 && log_[high - 1].begin <= offset)
            return high; // the most frequent case
        while (low < high) {
            const std::size_t middle = (low + high) / 2;
            if (log_[middle].begin <= offset)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    BoundedRing<Sent, most> log_;
    std::vector<Copy> copies_; // entries that were repeated, by offset
    std::uint64_t acked_ = 0;
    std::size_t acked_entries_ = 0; // number of oldest entries of which all bytes are acknowledged
};

} // namespace iscsiscope
