// SPDX-License-Identifier: GPL-2.0-or-later
// The connections of TcpEngine: opening, closing, and giving up holes.
#include "analyzer/tcp/stream/tcp_engine.h"

#include "analyzer/tcp/stream/tcp_engine_state.h"

#include <algorithm>
#include <limits>

namespace iscsiscope {

namespace {

using namespace std::chrono_literals;

// A hole is given up this long after an ACK has covered it: with two mirror ports or two queues, an ACK may
// be captured shortly before the data that it covers.
constexpr Duration hole_grace = 20ms;
// Or this long and so many frames, as many as the pipeline puts in order (SegmentOrder): at high rates fewer
// than would wait behind the hole.
constexpr Duration busy_hole_grace = 2ms;
constexpr FrameNumber busy_hole_frames = 512;
// A hole is given up after this time if the other direction, with its ACKs, is not in the capture.
constexpr Duration one_sided_grace = 3s;
constexpr std::size_t max_waiting_ranges = 65536;

// Whether a time of waiting is over; also where the capture's clock was set back by more than that.
bool is_over(Time since, Time now, Duration grace) {
    return now - since >= grace || since - now >= grace;
}
// Pieces wait at most this long, from the frame of the first one, for bytes that their senders had
// acknowledged. A hole that shows that these are missing is given up earlier; without one only the next bytes
// of the other direction show it, which may come late.
constexpr Duration order_grace = 1s;

} // namespace

ConnectionState &TcpEngine::State::open(const Placement &at, const Segment &s) {
    if (at.slot >= slots.size())
        slots.resize(at.slot + std::size_t{1});
    slots[at.slot] = std::make_unique<ConnectionState>();
    ConnectionState &c = *slots[at.slot];
    Connection &info = c.connection;
    info.stream = at.stream;
    info.slot = at.slot;
    info.notes = &c.notes;
    info.first_frame = info.last_frame = s.frame;
    info.first_time = info.last_time = s.time;
    info.clock = s.clock;
    info.starts_with_syn = (s.flags & tcp_syn) != 0;
    info.ends[index(at.side)].endpoint = s.source;
    info.ends[index(other(at.side))].endpoint = s.destination;
    sink.on_open(info);
    return c;
}

void TcpEngine::State::close(const Closing &closing) {
    ConnectionState &c = *slots[closing.slot];
    c.connection.hosts = &closing.hosts;
    give_up_all(c, closing.at, c.connection.last_frame);
    if (c.ended)
        sink.on_close(c.connection, c.ended->reason, c.ended->at, c.ended->frame);
    else
        sink.on_close(c.connection, closing.reason, closing.at, closing.frame);
    slots[closing.slot].reset();
}

// Gives up the first holes of this side's stream that will not be filled any more.
void TcpEngine::State::check_hole(ConnectionState &c, Side side, Time now, FrameNumber frame) {
    EndState &end = c.end(side);
    PieceForwarder out{sink, anomalies, c, side};
    while (end.stream.has_hole()) {
        end.stream.acknowledged(c.connection.end(side).acked_offset, now, frame);
        const FirstHole hole = end.stream.first_hole();
        const bool acked =
            hole.acked &&
            (is_over(*hole.acked, now, hole_grace) ||
             (is_over(*hole.acked, now, busy_hole_grace) && frame >= hole.acked_frame + busy_hole_frames));
        const bool alone = c.end(other(side)).last_frame < hole.seen && now - hole.seen >= one_sided_grace;
        if (!acked && !alone && end.stream.waiting_ranges() <= max_waiting_ranges)
            return;
        end.stream.give_up_hole(now, frame, out);
    }
}

// An ACK has covered bytes of this end behind all that passed.
void TcpEngine::State::note_missed(ConnectionState &c, Side end, Time now) {
    if (!c.missed_since)
        c.missed_since = std::make_unique<std::array<CompactOptional<Time>, 2>>();
    if (auto &since = (*c.missed_since)[index(end)]; !since)
        since = now;
}

// Gives such bytes up like a hole: nothing else shows them until their sender has more to send.
void TcpEngine::State::check_missed(ConnectionState &c, Time now, FrameNumber frame) {
    bool any = false;
    for (const Side side : {Side::opener, Side::acceptor}) {
        SideStream &stream = c.end(side).stream;
        auto &since = (*c.missed_since)[index(side)];
        const std::uint64_t acked = c.connection.end(side).acked_offset;
        if (since && stream.highest() >= acked)
            since.reset();
        if (since && !stream.has_hole() && is_over(*since, now, hole_grace)) {
            PieceForwarder out{sink, anomalies, c, side};
            stream.give_up_until(acked, now, frame, out);
            since.reset();
        }
        any = any || since;
    }
    if (!any)
        c.missed_since.reset();
}

void PieceForwarder::keep(const StreamPiece &piece) {
    constexpr auto nothing = std::numeric_limits<std::uint64_t>::max();
    if ((!state_.order || !state_.order->keeps(side_)) &&
        sink_.content_needed_from(state_.connection, Side::opener) == nothing &&
        sink_.content_needed_from(state_.connection, Side::acceptor) == nothing) {
        deliver(side_, piece); // nobody reads what it holds
        return;
    }
    if (!state_.order)
        state_.order = std::make_unique<PieceOrder>();
    state_.order->keep(side_, piece, piece.offset + piece.length > content_needed_from());
}

void PieceForwarder::release(bool all) {
    if (!state_.order)
        return;
    const auto deliver_one = [this](Side s, const StreamPiece &p) { deliver(s, p); };
    state_.order->release([this](Side s) { return delivered(s); }, deliver_one);
    if (all)
        state_.order->release_all(deliver_one);
    if (state_.order->empty() && !state_.order->waives())
        state_.order.reset();
}

// Delivers the pieces of which it is known that nothing comes before them, or that have waited long enough.
void TcpEngine::State::check_order(ConnectionState &c, Time now) {
    PieceForwarder out{sink, anomalies, c, Side::opener};
    out.release(false);
    if (c.order && !c.order->empty() &&
        (is_over(c.order->oldest(), now, order_grace) || c.order->kept_bytes() > options.max_kept_bytes ||
         c.order->pieces() > max_waiting_ranges))
        out.release(true);
}

// The connection has ended: bytes that were acknowledged are not sent again.
void TcpEngine::State::give_up_acknowledged(ConnectionState &c, Time now, FrameNumber frame) {
    for (const Side side : {Side::opener, Side::acceptor}) {
        SideStream &stream = c.end(side).stream;
        const std::uint64_t acked = c.connection.end(side).acked_offset;
        PieceForwarder out{sink, anomalies, c, side};
        while (stream.has_hole() && stream.hole_end() <= acked)
            stream.give_up_hole(now, frame, out);
        if (stream.started())
            stream.give_up_until(acked, now, frame, out);
    }
    c.missed_since.reset();
}

void TcpEngine::State::give_up_all(ConnectionState &c, Time now, FrameNumber frame) {
    for (Side side : {Side::opener, Side::acceptor}) {
        EndState &end = c.end(side);
        ConnectionEnd &info = c.connection.ends[index(side)];
        PieceForwarder out{sink, anomalies, c, side};
        while (end.stream.has_hole()) {
            const std::uint64_t hole_end = end.stream.hole_end();
            // As long as the other end has not closed, its ACK may follow; without its frames there is none.
            const bool closed = c.ended || c.end(other(side)).fin;
            const std::uint64_t lost_from = closed && c.connection.end(other(side)).seen
                                                ? std::max(info.acked_offset, end.stream.next())
                                                : hole_end;
            info.lost_bytes += hole_end - std::min(hole_end, lost_from);
            end.stream.give_up_hole(now, frame, out, lost_from);
        }
        if (end.stream.started())
            end.stream.give_up_until(info.acked_offset, now, frame, out);
        else if (end.acked_one && (c.ended || c.end(other(side)).fin)) // its FIN was counted as a byte
            --info.unseen_bytes;
    }
    PieceForwarder{sink, anomalies, c, Side::opener}.release(true);
}

TcpEngine::TcpEngine(StreamSink &sink, AnomalySink &anomalies, const TcpEngineOptions &options)
    : state_(new State{sink, anomalies, options, {}}) {}

TcpEngine::~TcpEngine() = default;

void TcpEngine::close(const Closing &closing) {
    state_->close(closing);
}

void TcpEngine::follow(const Placement &at, const Segment &segment) {
    state_->take(at, segment);
}

std::uint32_t TcpEngine::slot_count() const {
    return static_cast<std::uint32_t>(state_->slots.size());
}

const Connection *TcpEngine::connection(std::uint32_t slot) const {
    return slot < state_->slots.size() && state_->slots[slot] ? &state_->slots[slot]->connection : nullptr;
}

} // namespace iscsiscope
