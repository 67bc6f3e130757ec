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
// captured before its data), the answer waits here, and what its sender sent after it. PieceOrder owns
// copies of those bytes of the waiting pieces that the sink needs.
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
    // Up to this offset of a Side's stream no piece waits any more, since release_all() gave such a wait up;
    // 0: none was given up. waives(): whether one was, of either Side.
    std::uint64_t waived(Side side) const { return waived_[index(side)]; }
    bool waives() const { return waived_[0] != 0 || waived_[1] != 0; }
    // first_seen of the front of each queue, the earlier of both. Pieces behind a front may be older: a front
    // that filled a hole was seen after them. Only if not empty().
    Time oldest() const;

    // Delivers and removes the pieces that are due. `delivered`: up to which offset the stream of a Side is
    // delivered so far; `deliver`: takes (Side, const StreamPiece &), and raises that offset.
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
    // Delivers and removes all pieces: of the two fronts, always that of the earlier frame. What the pieces
    // waited for is waived: no piece may wait for it again.
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
    // Whether the first piece of this Side has an earlier frame than that of the other one. Both queues must
    // hold pieces.
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
