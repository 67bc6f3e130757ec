// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/stream/piece_order.h"

#include <algorithm>

namespace iscsiscope {

void PieceOrder::keep(Side sender, const StreamPiece &piece, bool content) {
    Kept kept{.piece = piece, .bytes = {}};
    if (content)
        kept.bytes.assign(piece.bytes.begin(), piece.bytes.end());
    kept.piece.bytes = {};
    kept_bytes_ += kept.bytes.size();
    queues_[index(sender)].push_back(std::move(kept));
}

void PieceOrder::waive() {
    for (const Side sender : {Side::opener, Side::acceptor})
        for (const Kept &kept : queues_[index(sender)])
            if (kept.piece.waits_for(waived(other(sender))))
                waived_[index(other(sender))] = kept.piece.acknowledged;
}

Time PieceOrder::oldest() const {
    Time oldest = Time::max();
    for (const auto &queue : queues_)
        if (!queue.empty())
            oldest = std::min(oldest, queue.front().piece.first_seen);
    return oldest;
}

bool PieceOrder::earlier(Side side) const {
    return queues_[index(side)].front().piece.frame < queues_[index(other(side))].front().piece.frame;
}

} // namespace iscsiscope
