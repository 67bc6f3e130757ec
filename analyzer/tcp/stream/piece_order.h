// SPDX-License-Identifier: GPL-2.0-or-later
// PieceOrder: holds pieces of a connection until those that their senders had received are delivered.
#pragma once

#include "analyzer/tcp/stream/connection.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace iscsiscope {

// An end that acknowledges bytes may act on them in the same segment: its answer must not reach the sink
// before them. Where the file lacks these bytes for the moment (a hole that may still be filled, or an ACK
// captured before its data), the answer waits here. It owns copies of the bytes that the sink needs.
//
// Each direction is a queue in stream order. A piece is due once the other direction is delivered up to what
// the piece acknowledges; of two that are due, the one of the earlier frame comes first.
class PieceOrder {
public:
    // content: whether the sink needs the bytes.
    void keep(Side sender, const StreamPiece &, bool content);

    bool empty() const { return queues_[0].empty() && queues_[1].empty(); }
    bool keeps(Side sender) const { return !queues_[index(sender)].empty(); }
    std::size_t kept_bytes() const { return kept_bytes_; }
    std::size_t pieces() const { return queues_[0].size() + queues_[1].size(); }
    // Up to which offset of a Side's stream nothing waits any more, and whether there is such a one.
    std::uint64_t waived(Side side) const { return waived_[index(side)]; }
    bool waives() const { return waived_[0] != 0 || waived_[1] != 0; }
    // Capture time of the earliest piece of each queue, the earlier of both. Only if not empty().
    Time oldest() const;

    // The pieces that are due. `delivered`: to which offset the stream of a Side is delivered so far;
    // `deliver`: takes (Side, const StreamPiece &) and raises it.
    template <class Delivered, class Deliver>
    void release(Delivered &&delivered, Deliver &&deliver) {
        for (;;) {
            const auto due = [&](Side s) {
                const auto &queue = queues_[index(s)];
                return !queue.empty() && !queue.front().piece.waits_for(delivered(other(s)));
            };
            const bool first = due(Side::opener), second = due(Side::acceptor);
            if (!first && !second)
                return;
            deliver_front(first && (!second || earlier(Side::opener)) ? Side::opener : Side::acceptor,
                          deliver);
        }
    }
    // All pieces, by frame. What they waited for is waived: nothing may wait for it again.
    template <class Deliver>
    void release_all(Deliver &&deliver) {
        waive();
        while (!empty())
            deliver_front(!keeps(Side::acceptor) || (keeps(Side::opener) && earlier(Side::opener))
                              ? Side::opener
                              : Side::acceptor,
                          deliver);
    }

private:
    struct Kept {
        StreamPiece piece; // without bytes
        std::vector<std::byte> bytes;
    };

    void waive();
    // Whether the first piece of this Side comes before that of the other one. Both queues hold pieces.
    bool earlier(Side) const;

    template <class Deliver>
    void deliver_front(Side side, Deliver &deliver) {
        auto &queue = queues_[index(side)];
        const Kept kept = std::move(queue.front());
        queue.pop_front();
        kept_bytes_ -= kept.bytes.size();
        StreamPiece piece = kept.piece;
        piece.bytes = kept.bytes;
        deliver(side, piece);
    }

    std::array<std::deque<Kept>, 2> queues_;
    std::size_t kept_bytes_ = 0;
    std::array<std::uint64_t, 2> waived_{};
};

} // namespace iscsiscope
