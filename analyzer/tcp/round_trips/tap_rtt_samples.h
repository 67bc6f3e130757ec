// SPDX-License-Identifier: GPL-2.0-or-later
// TapRttSamples: the recent round trips tap → receiver → tap of the data of one sender: a segment, and the
// first ACK that covers it. Those whose ACK the receiver's TCP sent at once, without payload, hold no waiting
// of a program; so does the handshake. They show the round trip as it is at the time, with the queues and the
// changes of the path, which the minimum of the whole connection does not.
//
// Its rules are stricter than those of RttSampler, from which it therefore takes no queue: segments out of
// order disturb it too, it begins in the middle of a connection, of more than 1,024 segments under way it
// times the first ones, and an RST answers.
#pragma once

#include "analyzer/base/containers/fifo.h"
#include "analyzer/base/time.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace iscsiscope {

class TapRttSamples {
public:
    // The receiver answered the SYN after this time.
    void handshake(Duration tap_rtt) { alone_.add(tap_rtt); }
    // The sender sent new bytes, in order, up to this offset.
    void sent(std::uint64_t end_offset, Time when) {
        if (waiting_.size() < max_waiting)
            waiting_.push({end_offset, when});
    }
    // The sender sent bytes again or out of order: which copy an ACK answers is not known (Karn's rule).
    void disturbed() { waiting_.clear(); }

    // The receiver acknowledged everything below this offset. pure: without payload. full_segment: payload of
    // a full segment of the sender. minimum: the least round trip of the connection.
    void acked(std::uint64_t offset, Time when, bool pure, std::uint32_t full_segment,
               std::optional<Duration> minimum) {
        std::optional<Sent> latest;
        for (; !waiting_.empty() && waiting_.front().end <= offset; waiting_.pop())
            latest = waiting_.front();
        const std::uint64_t advance = offset - std::min(offset, acked_);
        acked_ = std::max(acked_, offset);
        if (!latest || when < latest->when)
            return;
        const Duration tap_rtt = when - latest->when;
        all_.add(tap_rtt);
        if (!pure)
            return;
        // The ACK of two full segments is not delayed (RFC 9293 section 3.8.6.3), that of fewer may be.
        const bool at_once = (full_segment != 0 && advance >= 2 * std::uint64_t{full_segment}) ||
                             tap_rtt < minimum.value_or(tap_rtt) + min_delay;
        if (at_once)
            alone_.add(tap_rtt);
    }

    // Returns the lower quartile (nearest rank) of the last 63 round trips without waiting; empty if there is
    // none, or if most of the last 63 round trips of any kind, three quarters, are clearly shorter: the path
    // has become shorter.
    std::optional<Duration> usual() const {
        const std::optional<Duration> alone = alone_.quantile(1), all = all_.quantile(3);
        return alone && all && *all < *alone - *alone / 8 ? std::nullopt : alone;
    }

private:
    static constexpr std::size_t max_waiting = 1024;
    static constexpr Duration min_delay = std::chrono::milliseconds(20); // of delayed ACKs
    struct Sent {
        std::uint64_t end = 0;
        Time when{};
    };
    // The last 63 round trips, and one of their quartiles.
    class Recent {
    public:
        void add(Duration tap_rtt) {
            constexpr std::int64_t longest = std::numeric_limits<std::uint32_t>::max();
            const auto ns = static_cast<std::uint32_t>(std::min(tap_rtt.count(), longest));
            if (ring_.size() < most)
                ring_.push_back(ns);
            else
                ring_[at_] = ns;
            at_ = at_ + 1U == most ? std::uint8_t{0} : static_cast<std::uint8_t>(at_ + 1);
            stale_ = true;
        }
        // The object is always asked for the same quarter, 1 to 3 (nearest rank).
        std::optional<Duration> quantile(std::size_t quarter) const {
            if (ring_.empty())
                return std::nullopt;
            if (std::exchange(stale_, false)) {
                std::array<std::uint32_t, most> sorted;
                const auto end = std::copy(ring_.begin(), ring_.end(), sorted.begin());
                const std::size_t rank = (ring_.size() * quarter + 3) / 4 - 1;
                std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(rank), end);
                quantile_ = sorted[rank];
            }
            return Duration{quantile_};
        }

    private:
        static constexpr std::size_t most = 63;

        std::vector<std::uint32_t> ring_;    // ns, saturating; it grows as needed: most connections are short
        mutable std::uint32_t quantile_ = 0; // valid unless stale
        mutable bool stale_ = false;
        std::uint8_t at_ = 0;
    };

    Fifo<Sent> waiting_; // not acknowledged yet
    std::uint64_t acked_ = 0;
    Recent alone_; // those that hold no waiting
    Recent all_;   // of any kind, without the handshake
};

} // namespace iscsiscope
