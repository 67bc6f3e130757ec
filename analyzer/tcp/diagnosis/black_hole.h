// SPDX-License-Identifier: GPL-2.0-or-later
// The sizes that a path let through and swallowed while a sender's oldest bytes were lost (RFC 2923 section
// 2.1: a path MTU black hole swallows full-size segments, while small ones arrive).
#pragma once

#include "analyzer/tcp/diagnosis/sent_log.h"
#include "analyzer/tcp/inference/sack_board.h"

namespace iscsiscope {

// Sizes are payload bytes of packets on the wire: a segment that the capture holds before segmentation
// offload counts as its packets of full_segment bytes and a rest.
struct SizesAtLoss {
    std::uint32_t smallest_lost = 0;  // 0: none was lost
    std::uint32_t largest_passed = 0; // 0: none was acknowledged selectively
    std::uint64_t lost = 0;           // packets

    // Every host takes 576 bytes (RFC 1122 section 3.3.3), 536 of them payload: what swallows less is no
    // limit of size.
    static constexpr std::uint32_t always_passes = 536;
    bool only_large_lost() const { return smallest_lost > always_passes; }
    bool black_hole() const {
        return only_large_lost() && largest_passed > 0 && largest_passed < smallest_lost;
    }
};

// Returns the sizes of the packets in [from, end) that were sent at `until` or before. Bytes that did not
// pass the tap were lost before it: a hole is taken for packets of full_segment bytes and a rest.
SizesAtLoss sizes_at_loss(SentLog &, const SackBoard &, std::uint64_t from, std::uint64_t end,
                          std::uint32_t full_segment, Time until);

} // namespace iscsiscope
