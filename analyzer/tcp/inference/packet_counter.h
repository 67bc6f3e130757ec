// SPDX-License-Identifier: GPL-2.0-or-later
// Bytes of a stream → packets. Senders count the congestion window in packets, and a short one (a PDU
// header sent apart) takes a place like a full one; frames that offloading made larger than the MSS
// are counted as the packets they were on the wire.
#pragma once

#include "analyzer/tcp/inference/bounded_ring.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace iscsiscope {

class PacketCounter {
public:
    // The stream passed from the highest offset so far up to `end` in one run of bytes: a frame, or
    // bytes of which no frame is in the capture.
    void extend(std::uint64_t end, std::uint32_t mss) {
        const Mark before = marks_.empty() ? Mark{} : marks_.back();
        if (end <= before.end)
            return;
        const std::uint64_t length = end - before.end;
        const std::uint64_t more = length <= mss ? 1 : (length + mss - 1) / mss;
        marks_.push_back({end, before.packets + more});
    }

    std::uint64_t highest() const { return marks_.empty() ? 0 : marks_.back().end; }
    // Packets up to there.
    std::uint64_t packets() const { return marks_.empty() ? 0 : marks_.back().packets; }

    // Packets whose last byte lies below this offset; within a large frame whole MSS from its start.
    std::uint64_t at(std::uint64_t offset, std::uint32_t mss) const {
        if (marks_.empty() || offset >= marks_.back().end)
            return marks_.empty() ? 0 : marks_.back().packets;
        if (offset <= marks_.front().end) { // forgotten
            const std::uint64_t back = (marks_.front().end - offset + mss - 1) / mss;
            return marks_.front().packets - std::min(back, marks_.front().packets);
        }
        std::size_t below = 0, above = marks_.size() - 1; // marks_[below].end < offset ≤ marks_[above].end
        // Most are asked for near the front, where the acknowledged ones were just forgotten.
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

    // Offsets below this one will not be asked for.
    void forget_below(std::uint64_t offset) {
        while (marks_.size() > 1 && marks_[1].end <= offset)
            marks_.pop_front();
    }

private:
    struct Mark {
        std::uint64_t end = 0, packets = 0;
    };
    BoundedRing<Mark> marks_{8192};
};

} // namespace iscsiscope
