// SPDX-License-Identifier: GPL-2.0-or-later
// SentLog: what passed of one sender's stream, the only history of it: an entry a frame, how far the sender
// has come, and when it last sent.
//
// An entry holds the bytes that its frame was the first to carry, and the packets of the stream up to their
// begin and end. Congestion windows count packets, in which a short one (a PDU header sent separately) is as
// much as a full one, and a frame that offloading made larger than the MSS is as many as it was on the wire.
// Bytes that no frame held count as one such frame, even if a frame carries them later (a late entry).
// Entries are sorted by offset; at most 8192, of which the oldest are discarded first. A late one is put
// between others, which move: over the stream at most 64 an entry (and 8192), beyond which it is not kept, so
// that the log of a stream that comes backwards takes bounded time. Offsets and packets count from 0 at the
// begin of the stream.
#pragma once

#include "analyzer/base/compact_optional.h"
#include "analyzer/base/containers/bounded_ring.h"
#include "analyzer/base/time.h"
#include "analyzer/capture/segment.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace iscsiscope {

class SentLog {
public:
    struct Sent {
        std::uint64_t begin = 0;          // offset in the stream
        Time first{};                     // time of the frame that first carried it
        FrameNumber frame = 0;            // that frame
        std::uint32_t length = 0;         // bytes
        std::uint32_t timestamp = 0;      // TSval of that frame
        std::uint32_t flight = 0;         // bytes in flight when it was sent, itself included; 0: unknown
        std::uint32_t packets_before = 0; // of the stream up to its begin and its end, modulo 2^32; they are
        std::uint32_t packets = 0;        // equal in a late entry
        std::uint16_t ip_id = 0;          // of that frame; 0: none
        std::uint16_t late : 1 = 0;       // it passed after bytes of higher offset
        std::uint16_t repeats : 15 = 0;   // times the bytes passed again; saturating

        std::uint64_t end() const { return begin + length; }
    };

    // The end of the highest byte that passed, or that was acknowledged though it is not in the capture.
    std::uint64_t end() const { return end_; }
    std::uint64_t packets() const { return packets_; } // up to there
    // When new or repeated data last passed; empty: none has.
    const CompactOptional<Time> &last() const { return last_; }

    // The capture begins within the connection, with data at this offset.
    void begins_at(std::uint64_t offset, std::uint32_t full) {
        if (offset > end_)
            extend(offset, full);
    }
    // The segment's data passed, from this offset on; full: payload of a full segment. Of those above end()
    // an entry is made.
    void add(const Segment &s, std::uint64_t offset, std::uint32_t full) {
        const std::uint64_t to = offset + s.payload_length;
        if (to > end_) {
            if (offset > end_) // a hole: bytes not in the capture, or reordered
                extend(offset, full);
            const std::uint64_t from = end_, before = packets_;
            extend(to, full);
            push(s, from, to, before, false);
        }
        if (!last_ || *last_ < s.time) // capture times may go back
            last_ = s.time;
    }
    // The segment carries [from, to) below end(), which had not passed before.
    void add_late(const Segment &s, std::uint64_t from, std::uint64_t to) { push(s, from, to, 0, true); }

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
    const Sent *holding(std::uint64_t offset) const {
        const std::size_t i = behind(offset);
        return i > 0 && log_[i - 1].end() > offset ? &log_[i - 1] : nullptr;
    }
    // Returns the first entry that begins at or beyond this offset; null if none.
    const Sent *first_from(std::uint64_t offset) const {
        const std::size_t i = offset == 0 ? 0 : behind(offset - 1);
        return i < log_.size() ? &log_[i] : nullptr;
    }
    // Returns the packets that end at or below this offset, which is not below the highest reached().
    std::uint64_t packets_to(std::uint64_t offset, std::uint32_t full) const;
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

    // The receiver has everything below the offset, whether frames held it or not.
    void reached(std::uint64_t offset, std::uint32_t full);
    // The same, once that is all known: calls visit(const Sent &) for each entry that is newly acknowledged
    // as a whole. The last 32 acknowledged entries are kept, for repeats already in flight.
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
    static constexpr std::uint32_t moves_an_entry = 64, max_moves = 4 * most;

    struct Copy {
        std::uint64_t begin = 0; // offset of the entry
        Time last{};             // time of its last repeat
    };
    // An offset up to which the packets are known.
    struct Mark {
        std::uint64_t end = 0, packets = 0;
    };

    // Counts the bytes from end() up to an offset beyond it as one frame, captured or not.
    void extend(std::uint64_t to, std::uint32_t full) {
        const std::uint64_t length = to - end_;
        packets_ += length <= full ? 1 : (length + full - 1) / full;
        end_ = to;
        if (oldest_.end == 0)
            oldest_ = {end_, packets_};
    }
    void push(const Segment &, std::uint64_t from, std::uint64_t to, std::uint64_t before, bool late);
    void drop_oldest();
    void raise_oldest(const Sent &, std::uint64_t up_to);

    // Index of the first entry that begins beyond the offset.
    std::size_t behind(std::uint64_t offset) const {
        std::size_t low = 0, high = log_.size();
        if (high > 0 && log_[high - 1].begin <= offset)
            return high; // the most frequent case
        if (acked_entries_ > 0 && log_[acked_entries_ - 1].begin <= offset)
            low = acked_entries_;
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
    std::uint32_t moves_ = most;    // of entries, that are still allowed
    std::size_t acked_entries_ = 0; // number of oldest entries of which all bytes are acknowledged
    std::uint64_t end_ = 0, packets_ = 0;
    Mark oldest_; // the last one that is acknowledged or whose entry is gone, else the first one of all
    CompactOptional<Time> last_;
};

} // namespace iscsiscope
