// SPDX-License-Identifier: GPL-2.0-or-later
// The segments before a connection's first data come back as they were, field by field, each with the
// connection as it was then.
#include "analyzer/cycles/early_segments.h"
#include "catch.h"
#include "tcp/traffic.h"
#include "tests/unit/tcp/fed_tcp.h"

#include <random>
#include <tuple>

using namespace iscsiscope;

namespace {

auto parts(const RttTrack &t) {
    return std::tuple(t.minimum, t.latest_answer, t.answers, t.samples, t.latest, t.latest_from, t.smoothed,
                      t.min_now(), t.news.answer, t.news.sample, t.news.minimum, t.handshake_timed);
}
auto parts(const ConnectionEnd &e) {
    return std::tuple(e.endpoint, e.syn_seen, e.seen, e.sack_permitted, e.timestamps, e.window_scale,
                      e.window_scale_known, e.mss, e.stream_bytes, e.unseen_bytes, e.lost_bytes, e.segments,
                      e.repeated_segments, e.duplicate_frames, e.acked_offset, e.receive_window,
                      parts(e.rtt));
}
auto parts(const Connection &c) {
    return std::tuple(c.stream, c.slot, c.first_frame, c.last_frame, c.first_time, c.last_time,
                      c.starts_with_syn, parts(c.ends[0]), parts(c.ends[1]));
}
auto parts(const TcpOptions &o) {
    return std::tuple(o.has_timestamps, o.has_mss, o.has_window_scale, o.sack_permitted, o.window_scale,
                      o.sack_count, o.mss, o.timestamp_value, o.timestamp_echo);
}
auto parts(const Segment &s) {
    return std::tuple(s.frame, s.time, s.source, s.destination, s.sequence, s.acknowledgment, s.window,
                      s.flags, s.ip_ttl, s.ip_ecn, s.has_ip_id, s.ip_id, parts(s.options), s.payload_length);
}
auto parts(const SegmentReport &r) {
    return std::tuple(r.side, r.offset, r.new_bytes, r.first_new_offset, r.repeats, r.before_start,
                      r.out_of_order, r.probe, r.ack_advanced, r.continues_run);
}
auto all(const Connection &c, const SegmentReport &r) {
    return std::tuple(parts(c), parts(*r.segment), parts(r));
}

// Keeps the segments of one connection, and what they were.
struct Keeper final : StreamSink, AnomalySink {
    std::vector<decltype(all(Connection{}, SegmentReport{}))> were, kept;
    bool released = false;

    void on_open(const Connection &) override {}
    void on_piece(const Connection &, Side, const StreamPiece &) override {}
    void on_segment(const Connection &c, const SegmentReport &r) override {
        if (released)
            return;
        if (EarlySegments::keep(c, r)) {
            were.push_back(all(c, r));
            return;
        }
        released = true;
        EarlySegments::release(
            c, [&](const Connection &then, const SegmentReport &e) { kept.push_back(all(then, e)); });
    }
    void on_close(const Connection &, CloseReason, Time, FrameNumber) override {}
    std::uint64_t content_needed_from(const Connection &, Side) override { return 0; }
    void on_anomaly(const Anomaly &) override {}
};

} // namespace

TEST_CASE("segments before the first data come back as they were") {
    std::size_t came_back = 0;
    for (unsigned seed = 0; seed < 300; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        const auto upto = [&](unsigned n) { return std::uniform_int_distribution<unsigned>(0, n)(random); };
        Keeper keeper;
        FedTcp engine{keeper, keeper};
        std::vector<traffic::Packet> packets = traffic::handshake();
        if (upto(3) == 0)
            packets.insert(packets.begin(), packets.front()); // the SYN again
        if (upto(5) == 0)
            packets.erase(packets.begin() + upto(2)); // the capture lacks one
        for (unsigned more = upto(2); more > 0; --more)
            packets.push_back(packets.back()); // pure ACKs
        packets.push_back({.side = static_cast<int>(upto(1)),
                           .sequence = traffic::initial_sequence[0],
                           .acknowledgment = traffic::initial_sequence[1],
                           .payload = std::vector<std::byte>(48)});
        std::int64_t now = 1'000'000'000;
        for (std::size_t i = 0; i < packets.size(); ++i) {
            now += upto(9) == 0 ? 1'500'000'000 : upto(3'000'000);
            Segment s = traffic::segment(packets[i], i + 1);
            s.time = time_from_ns(now - (upto(9) == 0 ? 10'000 : 0));
            s.window = static_cast<std::uint16_t>(upto(65535));
            s.ip_ttl = static_cast<std::uint8_t>(upto(255));
            s.ip_ecn = static_cast<std::uint8_t>(upto(3));
            s.options.has_timestamps = upto(2) != 0;
            s.options.timestamp_value = static_cast<std::uint32_t>(now / 1'000'000);
            s.options.timestamp_echo = static_cast<std::uint32_t>(now / 1'000'000 - 3);
            if ((s.flags & tcp_syn) != 0) {
                s.options.has_mss = upto(3) != 0;
                s.options.mss = static_cast<std::uint16_t>(536 + upto(8000));
                s.options.has_window_scale = upto(3) != 0;
                s.options.window_scale = static_cast<std::uint8_t>(upto(14));
                s.options.sack_permitted = upto(1) != 0;
            }
            engine.feed(s);
        }
        CHECK(keeper.kept.size() == keeper.were.size());
        CHECK((keeper.kept == keeper.were));
        came_back += keeper.kept.size();
    }
    CHECK(came_back > 700);
}
