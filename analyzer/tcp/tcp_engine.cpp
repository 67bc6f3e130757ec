// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/tcp_engine.h"

#include "analyzer/tcp/connection_state.h"

#include <algorithm>
#include <deque>
#include <vector>

namespace iscsiscope {

namespace {

using namespace std::chrono_literals;

// An ACK may be captured shortly before the data it covers (two mirror ports, two queues); only when
// it has stood so long is a hole beyond filling.
constexpr Duration hole_grace = 20ms;
// Where the other direction is not in the capture nothing ever ACKs a hole.
constexpr Duration one_sided_grace = 3s;
constexpr std::size_t max_waiting_ranges = 65536;
// Segments that straggle behind RST or FIN still belong to their connection.
constexpr Duration linger = 60s;
// Duplicates before any RTT is known.
constexpr Duration default_duplicate_limit = 200us;

} // namespace

struct TcpEngine::State {
    StreamSink &sink;
    AnomalySink &anomalies;
    TcpEngineOptions options;
    ConnectionTable table;
    std::vector<std::unique_ptr<ConnectionState>> slots;
    std::vector<std::uint32_t> free_slots;
    struct Ended {
        Time when;
        std::uint32_t slot;
        std::uint64_t stream;
    };
    std::deque<Ended> ended;
    std::uint64_t next_stream = 0;
    std::array<ConnectionState *, 2> recent{}; // most segments belong to the last connections met
    Time last_time{};
    FrameNumber last_frame = 0;

    // The connection of this port pair and which end sent the segment; null if there is none.
    ConnectionState *find(const Segment &, Side &);
    ConnectionState &open(const Segment &);
    void close(ConnectionState &, CloseReason, Time, FrameNumber);
    void evict_idle();
    void forget_ended(Time now);
    void handle_syn(ConnectionState &, Side, const Segment &);
    bool handle_ack(ConnectionState &, Side, const Segment &);
    void handle_end(ConnectionState &, Side, const Segment &);
    void check_hole(ConnectionState &, Side, Time, FrameNumber);
    void give_up_all(ConnectionState &, Time, FrameNumber);
    void feed(const Segment &);
};

namespace {

// Carries what a SideStream hands on to the sink, with the connection it belongs to.
class PieceForwarder final : public SideStream::Output {
public:
    PieceForwarder(StreamSink &sink, AnomalySink &anomalies, Connection &connection, Side side) :
        sink_(sink), anomalies_(anomalies), connection_(connection), side_(side) {}

    void piece(const StreamPiece &piece) override {
        ConnectionEnd &end = connection_.ends[index(side_)];
        (piece.unseen ? end.unseen_bytes : end.stream_bytes) += piece.length;
        sink_.on_piece(connection_, side_, piece);
    }
    std::uint64_t content_needed_from() override { return sink_.content_needed_from(connection_, side_); }
    void anomaly(AnomalyKind kind, FrameNumber frame, std::int64_t detail) override {
        anomalies_.on_anomaly({.kind = kind, .frame = frame, .stream = connection_.stream, .detail = detail});
    }

private:
    StreamSink &sink_;
    AnomalySink &anomalies_;
    Connection &connection_;
    Side side_;
};

// A SYN that cannot belong to the connection known for this port pair.
bool reuses_port_pair(const ConnectionState &c, Side side, const Segment &s) {
    if ((s.flags & (tcp_syn | tcp_ack)) != tcp_syn)
        return false;
    const ConnectionEnd &end = c.connection.end(side);
    if (end.syn_seen)
        return c.ends[index(side)].initial_sequence != s.sequence;
    return end.seen || c.ends[index(other(side))].stream.next() > 0;
}

// A quarter of the round trip, as far as it is known.
Duration duplicate_limit(const Connection &c) {
    const auto &a = c.ends[0].rtt.minimum, &b = c.ends[1].rtt.minimum;
    return a && b ? (*a + *b) / 4 : default_duplicate_limit;
}

bool is_probe(const ConnectionEnd &sender, const ConnectionEnd &receiver, std::int64_t offset, const Segment &s) {
    if (s.payload_length > 1)
        return false;
    const bool below_ack = offset + s.payload_length <= static_cast<std::int64_t>(sender.acked_offset);
    return below_ack || (receiver.seen && receiver.receive_window == 0);
}

} // namespace

ConnectionState *TcpEngine::State::find(const Segment &s, Side &side) {
    for (ConnectionState *c : recent) {
        if (c && c->belongs(s, side))
            return c;
    }
    const std::uint32_t slot = table.find(ConnectionKey{s.source, s.destination});
    if (slot == ConnectionTable::none)
        return nullptr;
    recent[1] = recent[0];
    recent[0] = slots[slot].get();
    recent[0]->belongs(s, side);
    return recent[0];
}

ConnectionState &TcpEngine::State::open(const Segment &s) {
    if (table.size() >= options.max_connections)
        evict_idle();
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
    c.key = ConnectionKey{s.source, s.destination};
    Connection &info = c.connection;
    info.stream = next_stream++;
    info.slot = slot;
    info.first_frame = info.last_frame = s.frame;
    info.first_time = info.last_time = s.time;
    info.starts_with_syn = (s.flags & tcp_syn) != 0;
    const bool from_acceptor = (s.flags & (tcp_syn | tcp_ack)) == (tcp_syn | tcp_ack);
    info.ends[0].endpoint = from_acceptor ? s.destination : s.source;
    info.ends[1].endpoint = from_acceptor ? s.source : s.destination;
    table.insert(c.key, slot);
    recent[1] = recent[0];
    recent[0] = &c;
    sink.on_open(info);
    return c;
}

void TcpEngine::State::close(ConnectionState &c, CloseReason reason, Time at, FrameNumber frame) {
    give_up_all(c, at, frame);
    if (c.ended) {
        reason = *c.ended;
        at = c.ended_at;
        frame = c.ended_frame;
    }
    sink.on_close(c.connection, reason, at, frame);
    table.erase(c.key);
    const std::uint32_t slot = c.connection.slot;
    recent = {};
    slots[slot].reset();
    free_slots.push_back(slot);
}

// The table is full: a sixteenth of it, those idle longest, are given up at once, so that the cost
// of looking for them is spread over many openings.
void TcpEngine::State::evict_idle() {
    std::vector<ConnectionState *> all;
    for (const auto &c : slots) {
        if (c)
            all.push_back(c.get());
    }
    const auto last = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 16);
    std::nth_element(all.begin(), last, all.end(), [](const ConnectionState *a, const ConnectionState *b) {
        return a->connection.last_frame < b->connection.last_frame;
    });
    for (auto it = all.begin(); it <= last && it != all.end(); ++it)
        close(**it, CloseReason::evicted, last_time, last_frame);
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

void TcpEngine::State::handle_syn(ConnectionState &c, Side side, const Segment &s) {
    ConnectionEnd &info = c.connection.ends[index(side)];
    EndState &end = c.end(side);
    const bool answer = (s.flags & tcp_ack) != 0;
    auto &when = answer ? c.syn_ack_time : c.syn_time;
    if (info.syn_seen) { // repeated: which of them is answered cannot be told (Karn)
        when.reset();
        return;
    }
    when = s.time;
    info.syn_seen = true;
    end.initial_sequence = s.sequence;
    end.stream.start(s.sequence + 1);
    info.mss = s.options.has_mss ? s.options.mss : std::uint16_t{0};
    info.sack_permitted = s.options.sack_permitted;
    if (answer && c.syn_time)
        add_sample(info.rtt, s.time - *c.syn_time);
    // RFC 7323 section 2.2: in force only if both SYNs carry it, at most 14.
    info.window_scale = s.options.has_window_scale ? std::min<std::uint8_t>(s.options.window_scale, 14) : std::uint8_t{0};
    info.window_scale_known = s.options.has_window_scale;
    if (answer) {
        auto &ends = c.connection.ends;
        const bool both = ends[0].window_scale_known && ends[1].window_scale_known;
        for (ConnectionEnd &e : ends) {
            if (!both)
                e.window_scale = 0;
            e.window_scale_known = ends[0].syn_seen && ends[1].syn_seen;
        }
    }
}

bool TcpEngine::State::handle_ack(ConnectionState &c, Side side, const Segment &s) {
    if ((s.flags & tcp_ack) == 0)
        return false;
    const Side sender = other(side); // whose data is ACKed
    EndState &end = c.end(sender);
    ConnectionEnd &info = c.connection.ends[index(sender)];
    if (!end.stream.started()) {
        if (!end.acked_known) {
            end.acked_known = true;
            end.first_acked = s.acknowledgment;
        } else if (static_cast<std::int32_t>(s.acknowledgment - end.last_acked) <= 0) {
            return false;
        }
        end.last_acked = s.acknowledgment;
        return true;
    }
    if (c.syn_ack_time && side == Side::opener && (s.flags & tcp_syn) == 0) { // third step of the handshake
        if (s.payload_length == 0 && info.acked_offset == 0)
            add_sample(c.connection.ends[index(side)].rtt, s.time - *c.syn_ack_time);
        c.syn_ack_time.reset();
    }
    std::int64_t offset = end.stream.offset_of(s.acknowledgment);
    if (end.fin) // its FIN takes one number, which is no byte of the stream
        offset = std::min<std::int64_t>(offset, static_cast<std::int64_t>(end.stream.highest()));
    if (offset <= static_cast<std::int64_t>(info.acked_offset))
        return false;
    info.acked_offset = static_cast<std::uint64_t>(offset);
    end.sampler.acked(info.acked_offset, s.time, c.connection.ends[index(side)].rtt);
    return true;
}

void TcpEngine::State::handle_end(ConnectionState &c, Side side, const Segment &s) {
    if ((s.flags & tcp_fin) != 0)
        c.end(side).fin = true;
    const bool reset = (s.flags & tcp_rst) != 0;
    if (c.ended || !(reset || (c.ends[0].fin && c.ends[1].fin)))
        return;
    c.ended = reset ? CloseReason::reset : CloseReason::fin;
    c.ended_at = s.time;
    c.ended_frame = s.frame;
    ended.push_back({s.time, c.connection.slot, c.connection.stream});
}

// Decides whether the first hole of this side's stream will never be filled.
void TcpEngine::State::check_hole(ConnectionState &c, Side side, Time now, FrameNumber frame) {
    EndState &end = c.end(side);
    PieceForwarder out{sink, anomalies, c.connection, side};
    while (end.stream.has_hole()) {
        const std::uint64_t hole_end = end.stream.hole_end();
        if (end.hole_seen_at != hole_end) {
            end.hole_seen_at = hole_end;
            end.hole_seen = now;
        }
        if (c.connection.end(side).acked_offset >= hole_end) {
            if (!end.hole_acked || end.hole_acked_at != hole_end) {
                end.hole_acked = now;
                end.hole_acked_at = hole_end;
            }
        }
        const bool acked = end.hole_acked && end.hole_acked_at == hole_end && now - *end.hole_acked >= hole_grace;
        const bool alone = c.end(other(side)).last_frame < end.hole_seen && now - end.hole_seen >= one_sided_grace;
        if (!acked && !alone && end.stream.waiting_ranges() <= max_waiting_ranges)
            return;
        end.stream.give_up_hole(now, frame, out);
    }
}

void TcpEngine::State::give_up_all(ConnectionState &c, Time now, FrameNumber frame) {
    for (Side side : {Side::opener, Side::acceptor}) {
        EndState &end = c.end(side);
        ConnectionEnd &info = c.connection.ends[index(side)];
        PieceForwarder out{sink, anomalies, c.connection, side};
        while (end.stream.has_hole())
            end.stream.give_up_hole(now, frame, out);
        if (end.stream.started())
            end.stream.give_up_until(info.acked_offset, now, frame, out);
        else if (end.acked_known) // a direction that the capture does not hold at all
            info.unseen_bytes += end.last_acked - end.first_acked;
    }
}

void TcpEngine::State::feed(const Segment &s) {
    forget_ended(s.time);
    last_time = s.time;
    last_frame = s.frame;
    Side side{};
    ConnectionState *found = find(s, side);
    if (found && reuses_port_pair(*found, side, s)) {
        close(*found, CloseReason::reuse, s.time, s.frame);
        found = nullptr;
    }
    if (!found) {
        found = &open(s);
        found->belongs(s, side);
    }
    ConnectionState &c = *found;
    Connection &info = c.connection;
    EndState &end = c.end(side);
    ConnectionEnd &sender = info.ends[index(side)];

    if (end.duplicates.is_duplicate(s, !c.brings_news(s, side), duplicate_limit(info))) {
        ++sender.duplicate_frames;
        anomalies.on_anomaly(
            {.kind = AnomalyKind::duplicate_frame, .frame = s.frame, .stream = info.stream, .detail = 0});
        return;
    }

    info.last_frame = s.frame;
    info.last_time = s.time;
    sender.seen = true;
    end.last_frame = s.time;
    const bool syn = (s.flags & tcp_syn) != 0;
    if (syn)
        handle_syn(c, side, s);
    if (s.options.has_timestamps) {
        sender.timestamps = true;
        ConnectionEnd &peer = info.ends[index(other(side))];
        if ((s.flags & tcp_ack) != 0 && sender.unseen_bytes == 0 && peer.unseen_bytes == 0) // else stamps were missed
            end.echoes.echoed(s.options.timestamp_echo, s.time, sender.rtt);
        c.end(other(side)).echoes.asked(s.options.timestamp_value, s.time);
    }
    sender.receive_window =
        syn ? s.window : std::uint64_t{s.window} << (sender.window_scale_known ? sender.window_scale : 0);

    SegmentReport report;
    report.segment = &s;
    report.side = side;
    report.ack_advanced = handle_ack(c, side, s);
    const std::uint32_t sequence = s.sequence + (syn ? 1 : 0);
    if (s.payload_length > 0) {
        PieceForwarder out{sink, anomalies, info, side};
        end.stream.start(sequence);
        report.probe = is_probe(sender, info.ends[index(other(side))], end.stream.offset_of(sequence), s);
        ++sender.segments;
        const auto arrival = end.stream.arrive(sequence, s, options.max_kept_bytes, out);
        report.offset = arrival.offset < 0 ? 0 : static_cast<std::uint64_t>(arrival.offset);
        report.new_bytes = arrival.new_bytes;
        report.first_new_offset = arrival.first_new_offset;
        report.repeats = arrival.repeats;
        report.before_start = arrival.before_start;
        report.out_of_order = arrival.out_of_order;
        if (arrival.repeats) {
            if (!report.probe)
                ++sender.retransmitted_segments;
            end.sampler.retransmitted();
        } else if (!arrival.out_of_order) {
            end.sampler.sent(report.offset + s.payload_length, s.time);
        }
    } else if (end.stream.started()) {
        const std::int64_t offset = end.stream.offset_of(sequence);
        report.offset = offset < 0 ? 0 : static_cast<std::uint64_t>(offset);
    }
    if (c.ends[0].stream.has_hole())
        check_hole(c, Side::opener, s.time, s.frame);
    if (c.ends[1].stream.has_hole())
        check_hole(c, Side::acceptor, s.time, s.frame);
    sink.on_segment(info, report);
    if ((s.flags & (tcp_fin | tcp_rst)) != 0)
        handle_end(c, side, s);
}

TcpEngine::TcpEngine(StreamSink &sink, AnomalySink &anomalies, TcpEngineOptions options) :
    state_(std::make_unique<State>(State{.sink = sink,
                                         .anomalies = anomalies,
                                         .options = options,
                                         .table = {},
                                         .slots = {},
                                         .free_slots = {},
                                         .ended = {}})) {}

TcpEngine::~TcpEngine() = default;

void TcpEngine::feed(const Segment &segment) { state_->feed(segment); }

std::uint64_t TcpEngine::connections_met() const { return state_->next_stream; }

void TcpEngine::finish() {
    // In order of opening, so that records come out in the same order every time.
    std::vector<ConnectionState *> open;
    for (const auto &c : state_->slots) {
        if (c)
            open.push_back(c.get());
    }
    std::sort(open.begin(), open.end(), [](const ConnectionState *a, const ConnectionState *b) {
        return a->connection.stream < b->connection.stream;
    });
    for (ConnectionState *c : open)
        state_->close(*c, CloseReason::capture_end, state_->last_time, state_->last_frame);
    state_->ended.clear();
}

} // namespace iscsiscope
