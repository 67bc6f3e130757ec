// SPDX-License-Identifier: GPL-2.0-or-later
// SenderPipe: what one sender has in flight in its own view (RFC 6675), from the ACKs that it can have known.
// In: what it sends again, and each segment of new data with its KnownRange, behind the track. Out: Pipe.
// Packets are those of SentLog.
#pragma once

#include "analyzer/base/containers/bounded_ring.h"
#include "analyzer/tcp/inference/known_range.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

class SenderPipe {
public:
    // Data in flight with the likely ACK, and its bounds.
    struct Pipe {
        std::uint64_t packets = 0, low = 0, high = 0; // in recovery the pipe may exceed high
        std::uint64_t bytes = 0, bytes_low = 0, bytes_high = 0;

        bool even() const {
            return packets > 0 && low > 0 && high > 0 && bytes > 0 && bytes_low > 0 && bytes_high > 0;
        }
    };

    // Bytes up to this offset pass again, or for the first time below the highest one. full: payload of a
    // full segment.
    void resent(std::uint64_t end, std::uint32_t length, std::uint32_t full) {
        basis_.holds = false;
        resent_.push_back({end, length, (length + full - 1) / full});
    }
    // True if the segment of new data continues the one before with the same ACKs known. sent_to: the end of
    // the highest byte before it.
    bool follows(const KnownRange::Known &, const SegmentReport &, std::uint64_t sent_to,
                 std::optional<std::uint32_t> full) const;
    // The short way: it follows(), and the sender was not silent for a timeout.
    const Pipe &add(const SegmentReport &, const SentLog &);
    // Any segment of new data. calm: further ones with the same ACKs known will change only the pipe.
    const Pipe &compute(const KnownRange::Known &, const SegmentReport &, const SentLog &,
                        std::optional<std::uint32_t> full, bool calm);

    const Pipe &last() const { return basis_.pipe; } // including the last segment of new data
    bool any() const { return basis_.end != 0; }     // there was one

private:
    struct Resent {
        std::uint64_t end = 0, bytes = 0, packets = 0;
    };
    // That of the last segment of new data. As long as the sender can have learnt of no further ACK, the next
    // one differs only by the bytes that it adds.
    struct Basis {
        bool holds = false;
        std::uint32_t least = 0, likely = 0, most = 0; // states of the known ACKs
        std::optional<std::uint32_t> full;             // payload of a full segment
        std::uint64_t end = 0, packets = 0;            // end of its segment: offset, packets of the stream
        Pipe pipe;                                     // including its segment
    };

    Pipe in_flight(const KnownRange::Known &, std::uint64_t end, std::uint64_t sent_packets);

    Basis basis_;
    BoundedRing<Resent, 1024> resent_; // repeats not known to be acknowledged
};

} // namespace iscsiscope
