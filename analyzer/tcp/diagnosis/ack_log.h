// SPDX-License-Identifier: GPL-2.0-or-later
// What a receiver said to one sender, in the order in which it passed the tap, and how far the sender can
// have known it.
#pragma once

#include "analyzer/base/time.h"
#include "analyzer/tcp/inference/bounded_ring.h"

#include <cstdint>

namespace iscsiscope {

struct AckSeen {
    Time time{};
    FrameNumber frame = 0;
    std::uint64_t acked = 0;      // offset in the sender's stream
    std::uint64_t edge = 0;       // first offset that the receiver has no room for; 0: scale unknown
    std::uint64_t sack_top = 0;   // end of the highest SACKed byte, at least acked
    std::uint32_t timestamp = 0;  // TSval
    std::uint32_t duplicates = 0; // ACKs without news at this number (RFC 5681 section 2)
    bool held = false;            // the receiver had held it back
    FrameNumber held_data = 0;    // the segment it then acknowledged
};

// Entries have numbers from 1 that are never used again; number 0 stands for "nothing known".
class AckLog {
public:
    void add(const AckSeen &a) {
        if (ring_.size() == most)
            ++first_;
        ring_.push_back(a);
    }
    bool empty() const { return ring_.empty(); }
    std::uint64_t end() const { return first_ + ring_.size(); } // behind the last number
    const AckSeen &latest() const { return ring_.back(); }
    AckSeen &latest() { return ring_.back(); }
    // Null if it is not remembered, or 0.
    const AckSeen *at(std::uint64_t number) const {
        return number >= first_ && number < end() ? &ring_[static_cast<std::size_t>(number - first_)]
                                                  : nullptr;
    }
    void forget_below(std::uint64_t number) {
        while (ring_.size() > 1 && first_ < number) {
            ring_.pop_front();
            ++first_;
        }
    }

private:
    static constexpr std::size_t most = 1024;
    BoundedRing<AckSeen> ring_{most};
    std::uint64_t first_ = 1;
};

} // namespace iscsiscope
