// SPDX-License-Identifier: GPL-2.0-or-later
// SideStream: reassembles one direction of a connection by sequence number.
#pragma once

#include "analyzer/capture/anomaly.h"
#include "analyzer/tcp/stream/connection.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace iscsiscope {

// The first hole of a stream. Each hole ages by itself, also while it is not the first one.
struct FirstHole {
    std::uint64_t end = 0;
    Time seen{};                 // when bytes behind it passed
    std::optional<Time> acked;   // when it was fully ACKed, not before it was seen
    FrameNumber acked_frame = 0; // with acked: the frame of that time
};

// Takes segments in any order and delivers StreamPieces. In-order payload is passed on without a copy. Bytes
// behind a hole wait with the time of their frame; their content is copied only if it is needed, and only up
// to a limit.
class SideStream {
public:
    class Output {
    public:
        virtual ~Output() = default;
        virtual void piece(const StreamPiece &) = 0;
        virtual std::uint64_t content_needed_from() = 0;
        virtual void anomaly(AnomalyKind, FrameNumber, std::int64_t detail) = 0;
    };

    // How one segment's payload relates to the stream; the members are those of SegmentReport.
    struct Arrival {
        std::int64_t offset = 0; // negative: before the stream's first known byte
        std::uint32_t new_bytes = 0;
        std::uint64_t first_new_offset = 0;
        bool repeats = false;
        bool before_start = false;
        bool out_of_order = false;
    };

    bool started() const { return started_; }
    // Sets the sequence number of the stream's byte 0. Only the first call has an effect.
    void start(std::uint32_t sequence) {
        if (started_)
            return;
        started_ = true;
        base_ = sequence;
    }

    // Returns the offset of a sequence number that lies within 2 GiB of next().
    std::int64_t offset_of(std::uint32_t sequence) const {
        const auto distance =
            static_cast<std::int32_t>(sequence - (base_ + static_cast<std::uint32_t>(next_)));
        return static_cast<std::int64_t>(next_) + distance;
    }

    // True if bytes at this sequence number begin at next() and none wait behind a hole: the usual case.
    bool continues(std::uint32_t sequence) const {
        return started_ && !waiting_ && sequence == base_ + static_cast<std::uint32_t>(next_);
    }
    // Returns the piece of a segment for which continues() is true, for the caller to deliver. acknowledged:
    // as in StreamPiece.
    StreamPiece take(const Segment &segment, std::uint64_t acknowledged) {
        const std::uint64_t begin = next_;
        next_ = begin + segment.payload_length;
        highest_ = std::max(highest_, next_);
        return {.offset = begin,
                .length = segment.payload_length,
                .unseen = false,
                .first_seen = segment.time,
                .frame = segment.frame,
                .captured = static_cast<std::uint32_t>(segment.payload.size()),
                .bytes = segment.payload,
                .acknowledged = acknowledged};
    }
    // Takes any other segment. Content of at most max_kept_bytes is kept behind holes.
    Arrival arrive(std::uint32_t sequence, const Segment &, std::uint64_t acknowledged,
                   std::size_t max_kept_bytes, Output &);

    // The offset of the first byte that no piece has had yet (the sink may not have that piece: PieceOrder),
    // and the end of the highest byte that was seen or given up.
    std::uint64_t next() const { return next_; }
    std::uint64_t highest() const { return highest_; }
    bool has_hole() const { return waiting_ && waiting_->head < waiting_->ranges.size(); }
    // End of the first hole. Only with has_hole().
    std::uint64_t hole_end() const { return waiting_->ranges[waiting_->head].begin; }
    // All bytes below the offset have been acknowledged by now. Only with has_hole().
    void acknowledged(std::uint64_t offset, Time now, FrameNumber frame);
    // What is known of that hole. Only with has_hole().
    FirstHole first_hole() const;
    std::size_t waiting_ranges() const { return has_hole() ? waiting_->ranges.size() - waiting_->head : 0; }

    // Delivers the first hole as unseen, then the bytes behind it. lost_from: what lies behind this offset
    // was never acknowledged, so that the capture does not lack it.
    void give_up_hole(Time now, FrameNumber frame, Output &, std::uint64_t lost_from = unknown_offset);
    // Without a hole, delivers the bytes from next() to this offset as unseen. For bytes that were
    // acknowledged.
    void give_up_until(std::uint64_t offset, Time now, FrameNumber frame, Output &);

private:
    // Bytes of one frame that wait behind a hole.
    struct Range {
        std::uint64_t begin = 0, end = 0;
        Time time{};
        FrameNumber frame = 0;
        std::uint32_t captured = 0;   // bytes in the file
        std::vector<std::byte> bytes; // these bytes; empty if not needed, or beyond the limit
        std::uint64_t acknowledged = unknown_offset;
    };
    struct Acked {
        std::uint64_t to = 0;
        Time when{};
        FrameNumber frame = 0;
    };
    struct Waiting {
        std::vector<Range> ranges; // sorted, disjoint; those before head have been delivered
        std::size_t head = 0;
        std::size_t kept_bytes = 0;
        std::vector<Acked> acked; // while there is a hole, as far as a hole may ask for it; ascending
    };

    // A segment, and its place in the stream.
    struct Placed {
        const Segment &segment;
        std::uint64_t begin; // of its payload; wraps around if that begins before byte 0
        std::uint64_t acknowledged;
    };

    void deliver(std::uint64_t begin, std::uint64_t end, const Placed &, Output &);
    void deliver_unseen(std::uint64_t end, Time, FrameNumber, std::uint64_t acknowledged,
                        std::uint64_t lost_from, Output &);
    void release(Output &);
    void wait(std::size_t position, std::uint64_t begin, std::uint64_t end, const Placed &,
              std::size_t max_kept_bytes, Output &);
    bool note_late_fill(std::uint64_t begin, std::uint64_t end, FrameNumber, Output &);

    static constexpr std::size_t max_acked = 4096;

    bool started_ = false;
    std::uint32_t base_ = 0;
    std::uint64_t next_ = 0;
    std::uint64_t highest_ = 0;
    struct Hole {
        std::uint64_t begin = 0, end = 0;
    };
    std::unique_ptr<Hole> given_up_; // the last one; null: none was
    std::unique_ptr<Waiting> waiting_;
};

} // namespace iscsiscope
