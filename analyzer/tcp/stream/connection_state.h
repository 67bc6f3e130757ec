// SPDX-License-Identifier: GPL-2.0-or-later
// ConnectionState: the engine's state of one connection, beyond the Connection that observers see.
#pragma once

#include "analyzer/base/compact_optional.h"
#include "analyzer/tcp/round_trips/round_trips.h"
#include "analyzer/tcp/stream/connection.h"
#include "analyzer/tcp/stream/damage_filter.h"
#include "analyzer/tcp/stream/duplicate_filter.h"
#include "analyzer/tcp/stream/piece_order.h"
#include "analyzer/tcp/stream/segment_run.h"
#include "analyzer/tcp/stream/side_stream.h"

#include <memory>
#include <optional>

namespace iscsiscope {

struct EndState {
    SideStream stream;
    DuplicateFilter duplicates;
    [[no_unique_address]] SegmentRun run; // what follows lies in its last bytes: 100,000 ends may be kept
    DamageFilter damage;
    std::uint64_t content_from = 0; // from here on the sink needs the content of this stream, as far as known
    // ACKs of this end's data while no frame of the end itself has been seen.
    std::uint32_t last_acked = 0;
    bool acked_known = false;
    bool acked_one = false; // the last ACK advanced by one: a FIN, or a single byte
    bool fin = false;
    Time last_frame{}; // of this end
};

// The RST or the FINs that ended a connection, which lingers from then on.
struct Ending {
    CloseReason reason{};
    Time at{};
    FrameNumber frame = 0;
};

struct ConnectionState {
    Connection connection;
    std::array<EndState, 2> ends;
    ConnectionNotes notes;
    RoundTrips round_trips;        // into the tracks of the connection's ends
    std::unique_ptr<Ending> ended; // null: neither RST nor both FINs were seen
    // The pieces that wait for the other direction. Null: none waits, and no wait was given up.
    std::unique_ptr<PieceOrder> order;
    // Since when an ACK has covered bytes of each end behind all that passed. Null: of neither.
    std::unique_ptr<std::array<CompactOptional<Time>, 2>> missed_since;

    EndState &end(Side s) { return ends[index(s)]; }

    // What a segment of this side acknowledges, as an offset of the other direction's stream; unknown_offset
    // without an ACK, or before that stream has begun.
    std::uint64_t acknowledged_by(const Segment &s, Side side) const {
        const EndState &peer = ends[index(other(side))];
        if ((s.flags & tcp_ack) == 0 || !peer.stream.started())
            return unknown_offset;
        std::int64_t offset = peer.stream.offset_of(s.acknowledgment);
        if (peer.fin) // its FIN occupies a sequence number that is no byte of the stream
            offset = std::min(offset, static_cast<std::int64_t>(peer.stream.highest()));
        return offset < 0 ? 0 : static_cast<std::uint64_t>(offset);
    }

    // True for new data in order whose header otherwise equals that of its sender's segment before, and
    // that acknowledges nothing new. False while a piece waits for the other direction, and after a FIN of
    // the other end.
    bool continues_run(const Segment &s, Side side) const {
        const EndState &end = ends[index(side)], &peer = ends[index(other(side))];
        if ((order && !order->empty()) || missed_since || s.clock != connection.clock ||
            !end.run.continues(s) || !end.stream.continues(s.sequence) || peer.fin)
            return false;
        return peer.stream.started() ? peer.stream.offset_of(s.acknowledgment) <=
                                           static_cast<std::int64_t>(connection.end(other(side)).acked_offset)
                                     : peer.acked_known;
    }

    // True if its payload continues the stream, or without payload its ACK advances: no copy of a frame.
    bool brings_news(const Segment &s, Side side) const {
        const SideStream &own = ends[index(side)].stream;
        if (s.payload_length > 0)
            return own.started() && own.offset_of(s.sequence) == static_cast<std::int64_t>(own.next());
        const Side peer = other(side);
        const SideStream &acked = ends[index(peer)].stream;
        return acked.started() && (s.flags & (tcp_syn | tcp_fin | tcp_rst)) == 0 &&
               acked.offset_of(s.acknowledgment) >
                   static_cast<std::int64_t>(connection.end(peer).acked_offset);
    }
};

} // namespace iscsiscope
