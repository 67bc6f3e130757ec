// SPDX-License-Identifier: GPL-2.0-or-later
// The connections of TcpEngine: opening, closing and eviction, and giving up holes.
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

ConnectionState &TcpEngine::State::open(const Segment &s) {
    if (table.size() >= options.max_connections || ++opened_since_check > options.max_followed / 8)
        keep_to_limits();
    std::uint32_t slot;
    if (free_slots.empty()) {
        slot = static_cast<std::uint32_t>(slots.size());
        slots.emplace_back();
    } else {
        slot = free_slots.back();
        free_slots.pop_back();
    }
    slots[slot] = std::make_unique<ConnectionState>();
    ConnectionState &c = *slots[slot];
    Connection &info = c.connection;
    info.stream = StreamId{next_stream++};
    info.slot = slot;
    info.first_frame = info.last_frame = s.frame;
    info.first_time = info.last_time = s.time;
    info.starts_with_syn = (s.flags & tcp_syn) != 0;
    const bool from_acceptor = (s.flags & (tcp_syn | tcp_ack)) == (tcp_syn | tcp_ack);
    info.ends[0].endpoint = from_acceptor ? s.destination : s.source;
    info.ends[1].endpoint = from_acceptor ? s.source : s.destination;
    table.insert(hash_of_pair(s.source, s.destination), slot);
    recent[1] = recent[0];
    recent[0] = &c;
    sink.on_open(info);
    return c;
}

void TcpEngine::State::close(ConnectionState &c, CloseReason reason, Time at, FrameNumber frame) {
    give_up_all(c, at, c.connection.last_frame);
    if (c.ended) {
        reason = c.ended->reason;
        at = c.ended->at;
        frame = c.ended->frame;
    }
    sink.on_close(c.connection, reason, at, frame);
    const std::uint32_t slot = c.connection.slot;
    table.erase(hash_of_pair(c.connection.ends[0].endpoint, c.connection.ends[1].endpoint), slot);
    recent = {};
    slots[slot].reset();
    free_slots.push_back(slot);
}

namespace {

// The ranks of eviction, lowest first (TcpEngineOptions).
constexpr std::uint8_t rank_ended = 0, rank_without_payload = 1, rank_not_needed = 2, rank_followed = 3;

// A connection that may be evicted, by its rank and by how long it has been idle.
struct Candidate {
    std::uint8_t rank;
    FrameNumber last_frame;
    ConnectionState *connection;

    bool operator<(const Candidate &other) const {
        return rank != other.rank ? rank < other.rank : last_frame < other.last_frame;
    }
};

} // namespace

std::uint8_t TcpEngine::State::eviction_rank(const ConnectionState &c) const {
    const Connection &info = c.connection;
    if (c.ended)
        return rank_ended;
    if (info.ends[0].segments == 0 && info.ends[1].segments == 0)
        return rank_without_payload;
    constexpr auto nothing = std::numeric_limits<std::uint64_t>::max();
    return sink.content_needed_from(info, Side::opener) == nothing &&
                   sink.content_needed_from(info, Side::acceptor) == nothing
               ? rank_not_needed
               : rank_followed;
}

// Evicts connections beyond the limits, and a sixteenth more: one search serves many openings.
void TcpEngine::State::keep_to_limits() {
    opened_since_check = 0;
    const auto evict = [this](std::vector<Candidate> &all, std::size_t number) {
        const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(number, all.size()));
        std::nth_element(all.begin(), end, all.end());
        std::sort(all.begin(), end);
        for (auto it = all.begin(); it != end; ++it) {
            forgotten += it->rank == rank_ended ? 0 : 1;
            close(*it->connection, CloseReason::evicted, last_time, last_frame);
        }
    };
    std::vector<Candidate> all, followed;
    for (const auto &c : slots) {
        if (!c)
            continue;
        const std::uint8_t rank = eviction_rank(*c);
        all.push_back({rank, c->connection.last_frame, c.get()});
        const bool payload = c->connection.ends[0].segments + c->connection.ends[1].segments != 0;
        if (rank == rank_followed || (rank == rank_ended && payload))
            followed.push_back(all.back());
    }
    if (followed.size() > options.max_followed)
        evict(followed, followed.size() - options.max_followed + options.max_followed / 16);
    else if (table.size() >= options.max_connections)
        evict(all, all.size() / 16 + 1);
    while (!ended.empty() && (!slots[ended.front().slot] ||
                              slots[ended.front().slot]->connection.stream != ended.front().stream))
        ended.pop_front();
}

void TcpEngine::State::forget_ended(Time now) {
    while (!ended.empty() && now - ended.front().when > linger) {
        const Ended e = ended.front();
        ended.pop_front();
        ConnectionState *c = e.slot < slots.size() ? slots[e.slot].get() : nullptr;
        if (c && c->connection.stream == e.stream)
            close(*c, CloseReason::fin, now, last_frame);
    }
}

// Gives up the first holes of this side's stream that will not be filled any more.
void TcpEngine::State::check_hole(ConnectionState &c, Side side, Time now, FrameNumber frame) {
    EndState &end = c.end(side);
    PieceForwarder out{sink, anomalies, c, side};
    while (end.stream.has_hole()) {
        const std::uint64_t hole_end = end.stream.hole_end();
        if (!end.hole || end.hole->end != hole_end)
            end.hole = std::make_unique<FirstHole>(FirstHole{hole_end, now, {}});
        FirstHole &hole = *end.hole;
        if (!hole.acked && c.connection.end(side).acked_offset >= hole_end)
            hole.acked = now;
        const bool acked = hole.acked && is_over(*hole.acked, now, hole_grace);
        const bool alone = c.end(other(side)).last_frame < hole.seen && now - hole.seen >= one_sided_grace;
        if (!acked && !alone && end.stream.waiting_ranges() <= max_waiting_ranges)
            return;
        end.stream.give_up_hole(now, frame, out);
    }
    end.hole.reset();
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

void TcpEngine::State::give_up_all(ConnectionState &c, Time now, FrameNumber frame) {
    for (Side side : {Side::opener, Side::acceptor}) {
        EndState &end = c.end(side);
        ConnectionEnd &info = c.connection.ends[index(side)];
        PieceForwarder out{sink, anomalies, c, side};
        while (end.stream.has_hole()) {
            const std::uint64_t hole_end = end.stream.hole_end();
            // Of a connection that goes on, the ACK may follow; without the other end's frames there is none.
            const std::uint64_t lost_from = c.ended && c.connection.end(other(side)).seen
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

TcpEngine::TcpEngine(StreamSink &sink, AnomalySink &anomalies, TcpEngineOptions options)
    : state_(std::make_unique<State>(State{.sink = sink,
                                           .anomalies = anomalies,
                                           .options = options,
                                           .table = {},
                                           .slots = {},
                                           .free_slots = {},
                                           .ended = {}})) {}

TcpEngine::~TcpEngine() = default;

std::uint64_t TcpEngine::connections_seen() const {
    return state_->next_stream;
}

std::uint64_t TcpEngine::connections_forgotten() const {
    return state_->forgotten;
}

void TcpEngine::finish() {
    // In the order of opening, so that the output is deterministic.
    std::vector<ConnectionState *> open;
    for (const auto &c : state_->slots)
        if (c)
            open.push_back(c.get());
    std::sort(open.begin(), open.end(), [](const ConnectionState *a, const ConnectionState *b) {
        return a->connection.stream < b->connection.stream;
    });
    for (ConnectionState *c : open)
        state_->close(*c, CloseReason::capture_end, state_->last_time, state_->last_frame);
    state_->ended.clear();
}

} // namespace iscsiscope
