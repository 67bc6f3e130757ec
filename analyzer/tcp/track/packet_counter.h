// SPDX-License-Identifier: GPL-2.0-or-later
// PacketCounter: converts offsets of a stream into packets. Senders count the congestion window in packets,
// in which a short one (a PDU header sent separately) counts like a full one. A frame that offloading made
// larger than the MSS is counted as the packets that it was on the wire.
#pragma once

#include "analyzer/tcp/stream/bounded_ring.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace iscsiscope {

class PacketCounter {
public:
    // Counts the bytes from the highest offset so far up to `end` as one frame, captured or not.
    void extend(std::uint64_t end, std::uint32_t mss) {
        const Mark before = marks_.empty() ? Mark{} : marks_.back();
        if (end <= before.end)
            return;
        const std::uint64_t length = end - before.end;
        const std::uint64_t more = length <= mss ? 1 : (length + mss - 1) / mss;
        marks_.push_back({end, before.packets + more});
    }

    std::uint64_t highest() const { return marks_.empty() ? 0 : marks_.back().end; }
    // Packets up to highest().
    std::uint64_t packets() const { return marks_.empty() ? 0 : marks_.back().packets; }

    // Returns the packets that end at or below this offset; a large frame consists of packets of one MSS.
    std::uint64_t at(std::uint64_t offset, std::uint32_t mss) const {
        if (marks_.empty() || offset >= marks_.back().end)
            return marks_.empty() ? 0 : marks_.back().packets;
        if (offset <= marks_.front().end) { // forgotten
            const std::uint64_t back = (marks_.front().end - offset + mss - 1) / mss;
            return marks_.front().packets - std::min(back, marks_.front().packets);
        }
        std::size_t below = 0, above = marks_.size() - 1; // marks_[below].end < offset ≤ marks_[above].end
        // Most searches are for offsets near the front, because acknowledged marks are discarded.
        for (std::size_t near = 4; near < above; near *= 4) {
            if (marks_[near].end >= offset) {
                above = near;
                break;
            }
            if (near > 16)
                break;
            below = near;
        }
        while (above - below > 1) {
            const std::size_t middle = (below + above) / 2;
            (marks_[middle].end < offset ? below : above) = middle;
        }
        if (marks_[above].end == offset)
            return marks_[above].packets;
        return std::min(marks_[below].packets + (offset - marks_[below].end) / mss,
                        marks_[above].packets - 1);
    }

    // Discards what at() needs for offsets below this one.
    void forget_below(std::uint64_t offset) {
        while (marks_.size() > 1 && marks_[1].end <= offset)
            marks_.pop_front();
    }

private:
    struct Mark {
        std::uint64_t end = 0, packets = 0;
    };
    BoundedRing<Mark, 8192> marks_;
};

} // namespace iscsiscope
