// SPDX-License-Identifier: GPL-2.0-or-later
// BlackHole: recognises a path that swallows a sender's full-size segments, while small ones arrive (RFC 2923
// section 2.1). Three traces show it:
//   - the oldest bytes pass again and again, and a size larger than any ever acknowledged gets no answer, or
//     the sizes lost meanwhile are all larger than those that arrive;
//   - a repeat in smaller packets than all that were lost arrives (RFC 4821: the sender has found the MTU);
//   - where the repeats are lost before the tap: after a long silence the oldest bytes pass for the first
//     time, and what passes with them leaves holes of whole full segments.
// The last two leave a trace that waits for the next segment or ACK: `shortened`, `first_after_silence`.
#pragma once

#include "analyzer/base/compact_optional.h"
#include "analyzer/tcp/diagnosis/history/direction_tally.h"
#include "analyzer/tcp/track/sack_board.h"
#include "analyzer/tcp/track/sent_log.h"

#include <cstdint>
#include <memory>

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

class BlackHole {
public:
    // A segment of the sender, with what of its direction is known when it passes.
    struct Passing {
        SentLog &sent;
        const SackBoard &board;
        DirectionTally &tally;
        std::uint64_t acked = 0;   // offset that the receiver has acknowledged
        std::uint64_t sent_to = 0; // end of the highest byte that passed before
        std::uint64_t offset = 0;  // of the segment
        std::uint32_t length = 0;  // its payload
        FrameNumber frame = 0;
        Time time{};
    };
    // The segment repeats bytes that had passed, this entry among them.
    static void repeated(const Passing &, const SentLog::Sent &);
    // The same, once all its entries have been counted: compares the sizes that arrive meanwhile with those
    // that do not.
    void compare(const Passing &);
    // True if a trace waits for the next segment.
    bool waits() const { return traces_ != nullptr; }
    // The segment repeats no bytes that had passed; it begins at the acknowledged offset, or waits().
    // silence: of its sender before.
    void compare_unseen(const Passing &, Duration silence);
    // The connection has ended. `now` is of no segment: its time is that of the end. The bytes behind the
    // acknowledged ones never passed, though for several timeouts the path let a smaller segment through.
    static void ended(const Passing &now);
    // The cumulative ACK has advanced to this offset.
    void acked(std::uint64_t offset, Time now, DirectionTally &);

private:
    struct Traces {
        // The segment that ended a silence, until the next one.
        struct {
            std::uint64_t offset = 0;
            std::uint32_t length = 0; // 0: the segment before did not end a silence
        } first_after_silence;
        // The last repeat of the oldest bytes, if its packets were smaller than all that were lost.
        struct {
            std::uint64_t end = 0;
            FrameNumber frame = 0;
            std::uint32_t length = 0, lost = 0; // length 0: there is none
        } shortened;
    };
    Traces &traces() {
        if (!traces_)
            traces_ = std::make_unique<Traces>();
        return *traces_;
    }
    std::uint32_t passed_before(const Passing &, Time first) const;

    std::unique_ptr<Traces> traces_; // created when first needed
    CompactOptional<Time> acked_at_; // when the cumulative ACK last advanced
};

} // namespace iscsiscope
