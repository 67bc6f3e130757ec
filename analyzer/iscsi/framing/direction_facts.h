// SPDX-License-Identifier: GPL-2.0-or-later
// DirectionFacts: what is known of one direction of a connection, however it is read at the time: by a
// framer, a bridge or a search. In: how far its stream has come, what headers, the login or a search show,
// and bytes of which the PDUs are not known. Out: these facts and sums; losses go to the host.
#pragma once

#include "analyzer/iscsi/framing/direction_host.h"
#include "analyzer/iscsi/framing/unseen_ranges.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

// What is known of the use of a digest after some news of it.
constexpr DigestMode learnt(DigestMode before, DigestMode news) {
    return before == DigestMode::unknown ? news : before;
}

struct DirectionFacts {
    explicit DirectionFacts(Side s) : side(s) {}

    Reached reached;
    FrameNumber last_frame = 0;
    std::uint64_t skipped_bytes = 0; // that frames hold
    UnseenRanges unseen;
    std::uint32_t resyncs = 0;
    const Side side; // that sends in this direction
    std::optional<PduDirection> direction;
    DigestMode header_digest = DigestMode::unknown, data_digest = DigestMode::unknown;
    bool had_sync = false; // a header has been delivered
    bool given_up = false; // as not iSCSI: it is read no more

    void come_to(const StreamPiece &piece) {
        last_frame = piece.frame;
        if (piece.unseen)
            unseen.add(piece.offset, piece.offset + piece.length);
        else
            reached.raise(piece.first_seen, piece.frame);
    }

    // A PDU boundary is lost at this offset.
    void report_loss(std::uint64_t at, FrameNumber frame, DirectionHost &host) const {
        host.anomaly(AnomalyKind::sync_lost, frame, static_cast<std::int64_t>(at));
        host.sync_lost(side, at);
    }

    // It is not known which PDUs lie in these bytes.
    void skip(std::uint64_t from, std::uint64_t to) {
        if (to > from)
            skipped_bytes += unseen.seen(from, to);
    }
    // Headers are read again, behind these bytes.
    void report_resync(std::uint64_t from, std::uint64_t to, FrameNumber frame, DirectionHost &host) {
        ++resyncs;
        host.anomaly(AnomalyKind::resync, frame, static_cast<std::int64_t>(unseen.seen(from, to)));
    }
};

} // namespace iscsiscope
