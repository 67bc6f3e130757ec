// SPDX-License-Identifier: GPL-2.0-or-later
// LoopSamples: the recent loops tap → target → tap that hold no waiting of a program: a segment of the
// initiator, and the ACK without payload that the target's TCP sent for it at once; also the handshake. They
// show the round trip as it is at the time, with the queues and the changes of the path, which the minimum of
// the whole connection does not.
#pragma once

#include "analyzer/base/containers/fifo.h"
#include "analyzer/base/time.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

namespace iscsiscope {

class LoopSamples {
public:
    // The target answered the SYN after this time.
    void handshake(Duration loop) { add(loop); }
    // The initiator sent new bytes, in order, up to this offset.
    void sent(std::uint64_t end_offset, Time when) {
        if (waiting_.size() < most_waiting)
            waiting_.push({end_offset, when});
    }
    // The initiator sent bytes again or out of order: which copy an ACK answers is not known (Karn's rule).
    void disturbed() { waiting_.clear(); }

    // The target acknowledged everything below this offset. pure: without payload. full_segment: payload of a
    // full segment of the initiator. minimum: the least loop of the connection.
    void acked(std::uint64_t offset, Time when, bool pure, std::uint32_t full_segment,
               std::optional<Duration> minimum) {
        std::optional<Sent> latest;
        for (; !waiting_.empty() && waiting_.front().end <= offset; waiting_.pop())
            latest = waiting_.front();
        const std::uint64_t advance = offset - std::min(offset, acked_);
        acked_ = std::max(acked_, offset);
        if (!latest || !pure || when < latest->when)
            return;
        const Duration loop = when - latest->when;
        // The ACK of two full segments is not delayed (RFC 9293 section 3.8.6.3), that of fewer may be.
        const bool at_once = (full_segment != 0 && advance >= 2 * std::uint64_t{full_segment}) ||
                             loop < minimum.value_or(loop) + least_delay;
        if (at_once)
            add(loop);
    }

    // Returns the lower quartile (nearest rank) of the last 63 loops; empty below four.
    std::optional<Duration> usual() const { return count_ < fewest ? std::nullopt : std::optional(usual_); }

private:
    static constexpr std::size_t most = 63, fewest = 4, most_waiting = 1024;
    static constexpr Duration least_delay = std::chrono::milliseconds(20); // of delayed ACKs
    struct Sent {
        std::uint64_t end = 0;
        Time when{};
    };
    using Ring = std::array<Duration, most>;

    void add(Duration loop) {
        if (!ring_)
            ring_ = std::make_unique<Ring>();
        (*ring_)[at_] = loop;
        at_ = at_ + 1 == most ? 0 : at_ + 1;
        count_ = std::min(count_ + 1, most);
        Ring sorted = *ring_;
        const std::size_t rank = (count_ + 3) / 4 - 1;
        std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(rank),
                         sorted.begin() + static_cast<std::ptrdiff_t>(count_));
        usual_ = sorted[rank];
    }

    Fifo<Sent> waiting_; // not acknowledged yet
    std::unique_ptr<Ring> ring_;
    std::size_t at_ = 0, count_ = 0;
    std::uint64_t acked_ = 0;
    Duration usual_{};
};

} // namespace iscsiscope
