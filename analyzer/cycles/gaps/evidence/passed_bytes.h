// SPDX-License-Identifier: GPL-2.0-or-later
// PassedBytes: which bytes of one direction's stream have passed the tap.
//
// In: each payload frame of the direction, and each ACK of its receiver that advances. Out: the end of what
// has passed, when payload last passed, and the bytes that an ACK covers although no frame held them. States:
// unseen (no payload frame has passed, perhaps since the capture holds one direction only), then seen.
#pragma once

#include "analyzer/tcp/stream/connection.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace iscsiscope {

class PassedBytes {
public:
    bool seen() const { return seen_; }
    // End offset of the highest byte that has passed, in order or not; 0 if unseen.
    std::uint64_t end() const { return end_; }
    // The time of the last payload frame; meaningful once seen.
    Time last() const { return last_; }
    // The sender's unseen_bytes at that frame; if unseen, at its receiver's last ACK.
    std::uint64_t unseen_mark() const { return unseen_mark_; }
    // True if bytes that have not passed lie between the end and the new bytes of this frame.
    bool leaves_hole(const SegmentReport &frame) const {
        return seen_ && frame.new_bytes > 0 && frame.offset > end_;
    }

    // Takes a payload frame that ends at the offset.
    void payload(std::uint64_t end_offset, Time now, std::uint64_t unseen_bytes) {
        end_ = seen_ ? std::max(end_, end_offset) : end_offset;
        unseen_mark_ = unseen_bytes;
        last_ = now;
        seen_ = true;
    }
    // Takes an ACK that has advanced. Returns the first offset of the bytes that it covers and that no frame
    // has held, 0 if unseen; empty: there are none, or they are not wanted.
    std::optional<std::uint64_t> acknowledged(const ConnectionEnd &sender, bool wanted) {
        if (!seen_) {
            const bool more = sender.unseen_bytes > std::exchange(unseen_mark_, sender.unseen_bytes);
            return more && wanted ? std::optional<std::uint64_t>(0) : std::nullopt;
        }
        if (!wanted || sender.acked_offset <= end_)
            return std::nullopt;
        return std::exchange(end_, sender.acked_offset);
    }

private:
    std::uint64_t end_ = 0;
    std::uint64_t unseen_mark_ = 0;
    Time last_{};
    bool seen_ = false;
};

} // namespace iscsiscope
