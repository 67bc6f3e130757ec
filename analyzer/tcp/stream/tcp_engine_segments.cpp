// SPDX-License-Identifier: GPL-2.0-or-later
// The segment pipeline of TcpEngine: drops mirror duplicates, handles SYN, ACK, payload and holes, reports
// the segment, and handles FIN and RST.
#include "analyzer/tcp/stream/tcp_engine_state.h"

namespace iscsiscope {

namespace {

using namespace std::chrono_literals;

// Greatest distance of a mirror duplicate while no RTT is known.
constexpr Duration default_duplicate_limit = 200us;

// Returns within which time a copy of this segment follows it: a quarter of the minimum round trip, or the
// default while that is unknown; of a segment that nothing marks zero, unless the handshake was timed: other
// minima may contain waits, and a retransmission might follow sooner.
Duration duplicate_limit(const ConnectionState &c, const Segment &s) {
    const std::array<ConnectionEnd, 2> &ends = c.connection.ends;
    if (!DuplicateFilter::is_marked(s) && !(ends[0].rtt.handshake_timed && ends[1].rtt.handshake_timed))
        return Duration{};
    const auto &a = ends[0].rtt.minimum, &b = ends[1].rtt.minimum;
    return a && b ? (*a + *b) / 4 : default_duplicate_limit;
}

// True if one byte is a keep-alive or window probe: it is already acknowledged, or the window is zero.
bool is_probe(const ConnectionEnd &sender, const ConnectionEnd &receiver, std::int64_t offset) {
    return offset + 1 <= static_cast<std::int64_t>(sender.acked_offset) ||
           (receiver.seen && receiver.receive_window == 0);
}

// The first frame of a direction is there: byte 0 of its stream has this sequence number. Only the first call
// has an effect.
void start_stream(EndState &end, ConnectionEnd &sender, std::uint32_t sequence) {
    if (!end.stream.started())
        sender.unseen_bytes = 0; // the bytes acknowledged so far passed before this frame
    end.stream.start(sequence);
}

} // namespace

void TcpEngine::State::handle_syn(ConnectionState &c, Side side, const Segment &s) {
    ConnectionEnd &info = c.connection.ends[index(side)];
    EndState &end = c.end(side);
    const bool answer = (s.flags & tcp_ack) != 0;
    if (info.syn_seen) {
        c.round_trips.syn_again(side, answer);
        return;
    }
    info.syn_seen = true;
    start_stream(end, info, s.sequence + 1);
    if (s.options.has_mss && s.options.mss != 0)
        info.mss = s.options.mss;
    info.sack_permitted = s.options.sack_permitted;
    c.round_trips.syn(answer, s.time, info.rtt);
    // RFC 7323 section 2.2: scaling applies only if both SYNs carry the option; the shift is at most 14.
    info.window_scale =
        s.options.has_window_scale ? std::min<std::uint8_t>(s.options.window_scale, 14) : std::uint8_t{0};
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

// window_kept: the segment announces no smaller window than the one before of this end.
bool TcpEngine::State::handle_ack(ConnectionState &c, Side side, const Segment &s, bool window_kept) {
    if ((s.flags & tcp_ack) == 0)
        return false;
    const Side sender = other(side); // of the data that is ACKed
    EndState &end = c.end(sender);
    ConnectionEnd &info = c.connection.ends[index(sender)];
    if (!end.stream.started()) {
        const auto more = static_cast<std::int32_t>(s.acknowledgment - end.last_acked);
        if (end.acked_known && more <= 0)
            return false;
        if (end.acked_known) { // the bytes passed, but no frame held them
            info.unseen_bytes += static_cast<std::uint64_t>(more);
            end.acked_one = more == 1;
        }
        end.acked_known = true;
        end.last_acked = s.acknowledgment;
        return true;
    }
    ConnectionEnd &receiver = c.connection.ends[index(side)];
    if (c.round_trips.awaits_third_step() && side == Side::opener && (s.flags & tcp_syn) == 0)
        c.round_trips.third_step(s.payload_length == 0 && info.acked_offset == 0, s.time, receiver.rtt);
    std::int64_t offset = end.stream.offset_of(s.acknowledgment);
    if (end.fin) // its FIN occupies a sequence number that is no byte of the stream
        offset = std::min<std::int64_t>(offset, static_cast<std::int64_t>(end.stream.highest()));
    if (offset <= static_cast<std::int64_t>(info.acked_offset))
        return false;
    const std::uint64_t before = info.acked_offset;
    info.acked_offset = static_cast<std::uint64_t>(offset);
    if (info.acked_offset > end.stream.highest())
        note_missed(c, sender, s.time);
    if ((s.flags & tcp_rst) != 0) // a device in between may have sent it
        return true;
    c.round_trips.acked(side,
                        {.offset = info.acked_offset,
                         .advance = info.acked_offset - before,
                         .when = s.time,
                         .pure = s.payload_length == 0,
                         .selective = s.options.sack_count > 0,
                         .window_kept = window_kept,
                         .mss = info.mss && receiver.mss ? std::min(info.mss, receiver.mss) : std::nullopt},
                        receiver.rtt);
    return true;
}

void TcpEngine::State::handle_end(ConnectionState &c, Side side, const Segment &s) {
    if ((s.flags & tcp_fin) != 0)
        c.end(side).fin = true;
    const bool reset = (s.flags & tcp_rst) != 0;
    if (c.ended || !(reset || (c.ends[0].fin && c.ends[1].fin)))
        return;
    c.ended =
        std::make_unique<Ending>(Ending{reset ? CloseReason::reset : CloseReason::fin, s.time, s.frame});
    give_up_acknowledged(c, s.time, s.frame);
    PieceForwarder{sink, anomalies, c, side}.release(true); // what they wait for comes no more
}

// Passes the payload of a segment to its stream.
void TcpEngine::State::take_payload(ConnectionState &c, Side side, const Segment &s, SegmentReport &report) {
    EndState &end = c.end(side);
    ConnectionEnd &sender = c.connection.ends[index(side)];
    PieceForwarder out{sink, anomalies, c, side};
    const std::uint32_t sequence = s.sequence + ((s.flags & tcp_syn) != 0 ? 1 : 0);
    start_stream(end, sender, sequence);
    report.probe = s.payload_length == 1 &&
                   is_probe(sender, c.connection.end(other(side)), end.stream.offset_of(sequence));
    ++sender.segments;
    if (end.stream.continues(sequence)) {
        const StreamPiece piece = end.stream.take(s, c.acknowledged_by(s, side));
        report.offset = report.first_new_offset = piece.offset;
        report.new_bytes = piece.length;
        out.piece(piece);
        c.round_trips.sent(side, piece.offset + piece.length, s.time);
        return;
    }
    const auto arrival =
        end.stream.arrive(sequence, s, c.acknowledged_by(s, side), options.max_kept_bytes, out);
    report.offset = arrival.offset < 0 ? 0 : static_cast<std::uint64_t>(arrival.offset);
    report.new_bytes = arrival.new_bytes;
    report.first_new_offset = arrival.first_new_offset;
    report.repeats = arrival.repeats;
    report.before_start = arrival.before_start;
    report.out_of_order = arrival.out_of_order;
    if (arrival.repeats) {
        if (!report.probe)
            ++sender.repeated_segments;
        c.round_trips.sent_again(side);
    } else if (!arrival.out_of_order) {
        c.round_trips.sent(side, report.offset + s.payload_length, s.time);
    }
}

// True if the segment's checksum shows that no receiver takes it: it is as if it had been lost here. Only
// segments are verified with content that the sink needs, or that acknowledge bytes which no frame holds; of
// a bulk transfer both are few: a checksum reads every byte.
bool TcpEngine::State::is_damaged(ConnectionState &c, Side side, const Segment &s) {
    EndState &end = c.end(side);
    const SideStream &peer = c.end(other(side)).stream;
    const bool acks_unseen = (s.flags & tcp_ack) != 0 && peer.started() &&
                             peer.offset_of(s.acknowledgment) > static_cast<std::int64_t>(peer.highest());
    if (s.payload.size() != s.payload_length || (s.payload_length == 0 && !acks_unseen))
        return false;
    if (end.stream.started() && !acks_unseen) {
        const std::int64_t last = end.stream.offset_of(s.sequence) + s.payload_length;
        if (last <= static_cast<std::int64_t>(end.content_from))
            return false;
        end.content_from = sink.content_needed_from(c.connection, side);
        if (last <= 0 || static_cast<std::uint64_t>(last) <= end.content_from)
            return false;
    }
    if (!end.damage.damaged(s))
        return false;
    anomalies.on_anomaly({.kind = AnomalyKind::damaged_frame,
                          .frame = s.frame,
                          .stream = c.connection.stream,
                          .detail = s.payload_length});
    SegmentReport report;
    report.segment = &s;
    report.side = side;
    sink.on_damaged(c.connection, report);
    return true;
}

void TcpEngine::State::take(const Placement &at, const Segment &s) {
    ConnectionState &c = at.opens ? open(at, s) : *slots[at.slot];
    if (at.opens || !is_damaged(c, at.side, s)) [[likely]] {
        c.connection.hosts = &at.hosts;
        if (!at.opens && c.continues_run(s, at.side)) [[likely]]
            feed_run(c, at.side, s);
        else
            follow(c, at.side, s);
        c.connection.hosts = nullptr;
    }
}

// Fast path for a segment that continues a run (SegmentRun), with the same result as follow().
void TcpEngine::State::feed_run(ConnectionState &c, Side side, const Segment &s) {
    Connection &info = c.connection;
    EndState &end = c.end(side), &peer_end = c.end(other(side));
    ConnectionEnd &sender = info.ends[index(side)];
    end.duplicates.remember(s);
    end.run.advance(s);
    info.last_frame = s.frame;
    info.last_time = std::max(info.last_time, s.time); // capture times may go back (an anomaly)
    end.last_frame = s.time;
    sender.receive_window = std::uint32_t{s.window} << (sender.window_scale_known ? sender.window_scale : 0);
    SegmentReport report;
    report.segment = &s;
    report.side = side;
    report.continues_run = true;
    ++sender.segments;
    const StreamPiece piece = end.stream.take(s, c.acknowledged_by(s, side));
    report.offset = report.first_new_offset = piece.offset;
    report.new_bytes = piece.length;
    sender.stream_bytes += piece.length;
    sink.on_piece(info, side, piece);
    c.round_trips.sent(side, piece.offset + piece.length, s.time);
    if (peer_end.stream.has_hole()) [[unlikely]]
        check_hole(c, other(side), s.time, s.frame);
    sink.on_segment(info, report);
}

// Times the stamp of the segment, and the echo that it carries. pause: since the segment before of this end.
// The stamp of a repeated SYN is not timed: where stamps distinguish the copies, the answered one still
// passed while the path came back from what had swallowed the others, and its delay is not that of the
// connection.
void TcpEngine::State::sample_echo(ConnectionState &c, Side side, const Segment &s, Duration pause,
                                   bool repeated_syn) {
    ConnectionEnd &sender = c.connection.ends[index(side)];
    const ConnectionEnd &peer = c.connection.end(other(side));
    const SideStream &stream = c.end(side).stream;
    const bool acknowledges = (s.flags & (tcp_ack | tcp_rst)) == tcp_ack;   // no RST: see handle_ack
    if (acknowledges && sender.unseen_bytes == 0 && peer.unseen_bytes == 0) // else stamps may be missed
        c.round_trips.stamp_echoed(side, s.options.timestamp_echo, s.time, pause, peer.acked_offset,
                                   sender.rtt);
    if (repeated_syn)
        return;
    const std::int64_t offset = stream.started() ? stream.offset_of(s.sequence) : 0;
    const auto begin = static_cast<std::uint64_t>(std::max<std::int64_t>(offset, 0));
    c.round_trips.stamp_sent(side, s.options.timestamp_value, begin, begin + s.payload_length,
                             sender.acked_offset, s.time);
}

// Handles any segment.
void TcpEngine::State::follow(ConnectionState &c, Side side, const Segment &s) {
    Connection &info = c.connection;
    EndState &end = c.end(side);
    ConnectionEnd &sender = info.ends[index(side)];

    const bool news = c.brings_news(s, side);
    if ((s.copy && !news) || end.duplicates.is_duplicate(s, news ? Duration{} : duplicate_limit(c, s))) {
        ++sender.duplicate_frames;
        anomalies.on_anomaly(
            {.kind = AnomalyKind::duplicate_frame, .frame = s.frame, .stream = info.stream, .detail = 0});
        return;
    }

    if (s.clock != info.clock) [[unlikely]] {
        info.clock = s.clock;
        c.round_trips.forget();
    }
    if (c.missed_since) [[unlikely]]
        check_missed(c, s.time, s.frame);
    info.last_frame = s.frame;
    info.last_time = std::max(info.last_time, s.time);
    const Duration pause = sender.seen ? s.time - end.last_frame : Duration::max();
    sender.seen = true;
    end.last_frame = s.time;
    const bool syn = (s.flags & tcp_syn) != 0, repeated_syn = syn && sender.syn_seen;
    if (syn)
        handle_syn(c, side, s);
    if (s.options.has_timestamps) {
        sender.timestamps = true;
        sample_echo(c, side, s, pause, repeated_syn);
    }
    const std::uint32_t window_before = sender.receive_window;
    sender.receive_window =
        syn ? s.window : std::uint32_t{s.window} << (sender.window_scale_known ? sender.window_scale : 0);

    SegmentReport report;
    report.segment = &s;
    report.side = side;
    report.ack_advanced = handle_ack(c, side, s, sender.receive_window >= window_before);
    end.run.note(s);
    if (s.payload_length > 0) {
        take_payload(c, side, s, report);
    } else if (end.stream.started()) {
        const std::int64_t offset = end.stream.offset_of(s.sequence + (syn ? 1 : 0));
        report.offset = offset < 0 ? 0 : static_cast<std::uint64_t>(offset);
    }
    if (c.ends[0].stream.has_hole())
        check_hole(c, Side::opener, s.time, s.frame);
    if (c.ends[1].stream.has_hole())
        check_hole(c, Side::acceptor, s.time, s.frame);
    if ((s.flags & tcp_rst) != 0 && !c.ended) // the sink ends the tasks with this segment
        give_up_acknowledged(c, s.time, s.frame);
    if (c.order)
        check_order(c, s.time);
    sink.on_segment(info, report);
    for (ConnectionEnd &e : info.ends)
        e.rtt.news = {};
    if ((s.flags & (tcp_fin | tcp_rst)) != 0)
        handle_end(c, side, s);
}

} // namespace iscsiscope
