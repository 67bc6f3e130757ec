// SPDX-License-Identifier: GPL-2.0-or-later
// AckLog: the latest 1024 acknowledgments of a receiver in the order in which they passed the tap.
#pragma once

#include "analyzer/base/time.h"
#include "analyzer/tcp/stream/bounded_ring.h"

#include <cstdint>

namespace iscsiscope {

struct AckSeen {
    Time time{};
    FrameNumber frame = 0;
    std::uint64_t acked = 0;      // offset in the sender's stream
    std::uint64_t edge = 0;       // right edge of the window as an offset; 0: scale unknown
    std::uint64_t sack_top = 0;   // end of the highest SACKed byte, at least acked
    std::uint32_t timestamp = 0;  // TSval
    std::uint32_t duplicates = 0; // duplicate ACKs so far at this number (RFC 5681 section 2)
    bool held = false;            // a delayed ACK
    FrameNumber held_data = 0;    // the segment whose ACK was delayed
};

// Entries are numbered from 1, without reuse of numbers; number 0 means "no ACK".
class AckLog {
public:
    void add(const AckSeen &a) {
        if (ring_.size() == most)
            ++first_;
        ring_.push_back(a);
    }
    bool empty() const { return ring_.empty(); }
    std::uint64_t end() const { return first_ + ring_.size(); } // last number + 1
    const AckSeen &latest() const { return ring_.back(); }
    AckSeen &latest() { return ring_.back(); }
    // Returns the entry with this number; null if it is not held, or the number is 0.
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
    static constexpr std::uint16_t most = 1024;
    BoundedRing<AckSeen, most> ring_;
    std::uint64_t first_ = 1;
};

} // namespace iscsiscope
