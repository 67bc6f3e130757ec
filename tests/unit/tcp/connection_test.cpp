// SPDX-License-Identifier: GPL-2.0-or-later
#include "catch.h"
#include "tcp/recording.h"
#include "tcp/traffic.h"

#include "analyzer/tcp/stream/connection_table.h"
#include "tests/unit/tcp/fed_tcp.h"

#include <unordered_map>

using namespace iscsiscope;
using namespace traffic;

namespace {

std::vector<std::byte> filled(std::size_t n) {
    return std::vector<std::byte>(n, std::byte{0x55});
}

Packet data(int side, std::uint32_t offset, std::size_t length, std::int64_t time_ns,
            std::uint32_t acked = 0) {
    return {.side = side,
            .sequence = initial_sequence[side] + offset,
            .acknowledgment = initial_sequence[1 - side] + acked,
            .payload = filled(length),
            .time_ns = time_ns};
}

void run(Recording &recording, const std::vector<Packet> &packets) {
    FedTcp engine{recording, recording};
    for (std::size_t i = 0; i < packets.size(); ++i)
        engine.feed(segment(packets[i], i + 1));
    engine.finish();
}

} // namespace

TEST_CASE("a new SYN on the same ports is another connection, a repeated one is not", "[tcp]") {
    std::vector<Packet> packets = handshake();
    packets.insert(packets.begin() + 1, packets[0]); // SYN sent twice
    packets.push_back(data(0, 0, 100, 1'000));
    Packet syn = packets[0];
    syn.sequence += 5000;
    packets.push_back(syn);
    Recording r;
    run(r, packets);
    REQUIRE(r.opened.size() == 2);
    REQUIRE(r.closed.size() == 2);
    CHECK(r.closed[0].reason == CloseReason::reuse);
    CHECK(r.closed[0].connection.ends[0].stream_bytes == 100);
    CHECK_FALSE(r.closed[0].connection.ends[1].rtt.minimum); // Karn: which SYN was answered?
    CHECK(r.closed[1].reason == CloseReason::capture_end);
}

TEST_CASE("RST and FIN end a connection; stragglers still belong to it for a while", "[tcp]") {
    std::vector<Packet> packets = handshake();
    packets.push_back(data(0, 0, 100, 1'000'000));
    Packet reset = data(1, 0, 0, 2'000'000);
    reset.flags = tcp_rst | tcp_ack;
    packets.push_back(reset);
    packets.push_back(data(0, 100, 100, 3'000'000));
    Recording r;
    run(r, packets);
    CHECK(r.opened.size() == 1);
    REQUIRE(r.closed.size() == 1);
    CHECK(r.closed[0].reason == CloseReason::reset);
    CHECK(r.closed[0].connection.ends[0].stream_bytes == 200);

    packets.push_back(data(0, 200, 100, 100'000'000'000)); // long after
    Recording later;
    run(later, packets);
    CHECK(later.opened.size() == 2);
}

TEST_CASE("both tap-side round trips come from the handshake and from data and ACK", "[tcp]") {
    std::vector<Packet> packets = handshake();
    packets[0].time_ns = 0;
    packets[1].time_ns = 4'000'000; // target is 4 ms away and back
    packets[2].time_ns = 4'500'000; // initiator 0.5 ms
    packets.push_back(data(0, 0, 1000, 10'000'000));
    packets.push_back(data(1, 0, 500, 13'000'000, 1000)); // ACK after 3 ms
    packets.push_back(data(0, 1000, 0, 13'200'000, 500)); // ACK after 0.2 ms
    Recording r;
    run(r, packets);
    const Connection &c = r.closed.at(0).connection;
    CHECK(c.ends[1].rtt.minimum == Duration{3'000'000});
    CHECK(c.ends[0].rtt.minimum == Duration{200'000});
    CHECK(c.ends[1].rtt.answers == 2);
    CHECK(c.ends[1].rtt.samples == 1); // the data that carries the ACK may have taken service time
}

TEST_CASE("Karn's rule: a repeated segment gives no sample", "[tcp]") {
    std::vector<Packet> packets = handshake();
    packets[0].time_ns = 0;
    packets[1].time_ns = 4'000'000;
    packets[2].time_ns = 4'500'000;
    packets.push_back(data(0, 0, 1000, 10'000'000));
    packets.push_back(data(0, 0, 1000, 210'000'000));
    packets.push_back(data(1, 0, 0, 210'100'000, 1000));
    Recording r;
    run(r, packets);
    CHECK(r.closed.at(0).connection.ends[1].rtt.samples == 1); // of the handshake
    CHECK(r.closed.at(0).connection.ends[0].repeated_segments == 1);
}

TEST_CASE("a copy of a segment that nothing marks is known by its time after a handshake", "[tcp]") {
    enum class Start { timed, repeated_syn, unseen };
    for (const Start start : {Start::timed, Start::repeated_syn, Start::unseen}) {
        const bool shaken = start == Start::timed;
        std::vector<Packet> packets = handshake();
        packets[1].time_ns = 4'000'000;
        packets[2].time_ns = 4'500'000;
        packets.push_back(data(0, 0, 1000, 10'000'000));
        packets.push_back(data(0, 0, 1000, 10'020'000)); // a copy
        packets.push_back(data(1, 0, 0, 14'000'000, 1000));
        packets.push_back(data(0, 1000, 1, 15'000'000)); // a probe, and again
        packets.push_back(data(0, 1000, 1, 15'020'000));
        packets.push_back(data(0, 0, 1000, 16'000'000)); // later than a quarter of the round trip
        packets.push_back(data(1, 0, 0, 17'000'000, 1001));
        packets.push_back(data(1, 0, 0, 17'010'000, 1001)); // equal pure ACKs are normal
        if (start == Start::repeated_syn)                   // which of the two was answered?
            packets.insert(packets.begin(), packets[0]);
        if (start == Start::unseen)
            packets.erase(packets.begin(), packets.begin() + 3);
        Recording r;
        FedTcp engine{r, r};
        for (std::size_t i = 0; i < packets.size(); ++i) {
            Segment s = segment(packets[i], i + 1);
            s.has_ip_id = false;
            engine.feed(s);
        }
        engine.finish();
        CAPTURE(static_cast<int>(start));
        CHECK(r.anomalies[AnomalyKind::duplicate_frame] == (shaken ? 1 : 0));
        CHECK(r.closed.at(0).connection.ends[0].repeated_segments >= (shaken ? 1U : 2U));
    }
}

TEST_CASE("a mirror port's copy is dropped and counted, a retransmission is not", "[tcp]") {
    std::vector<Packet> packets = handshake();
    packets[0].time_ns = 0;
    packets[1].time_ns = 4'000'000;
    packets[2].time_ns = 4'500'000;
    packets.push_back(data(0, 0, 1000, 10'000'000));
    Recording r;
    FedTcp engine{r, r};
    for (std::size_t i = 0; i < packets.size(); ++i)
        engine.feed(segment(packets[i], i + 1));
    Segment copy = segment(packets[3], 5);
    copy.ip_id = segment(packets[3], 4).ip_id;
    copy.time += Duration{20'000};
    engine.feed(copy);
    CHECK(r.anomalies[AnomalyKind::duplicate_frame] == 1);
    CHECK(r.reports.size() == 4);
    Segment later = copy; // the same IP ID, but long after: a device that repeats packets
    later.frame = 6;
    later.time += Duration{50'000'000};
    engine.feed(later);
    CHECK(r.reports.size() == 5);
    CHECK(r.reports.back().repeats);
    engine.finish();
}

TEST_CASE("keep-alives and window probes are probes, new single bytes are not", "[tcp]") {
    std::vector<Packet> packets = handshake();
    packets.push_back(data(0, 0, 1000, 1'000'000));
    packets.push_back(data(1, 0, 0, 2'000'000, 1000));
    packets.push_back(data(0, 999, 1, 3'000'000)); // keep-alive
    packets.push_back(data(0, 1000, 1, 4'000'000));
    Packet closed = data(1, 0, 0, 5'000'000, 1001);
    closed.window = 0;
    packets.push_back(closed);
    packets.push_back(data(0, 1001, 1, 6'000'000)); // into the closed window
    Recording r;
    run(r, packets);
    CHECK(r.reports[5].probe);
    CHECK_FALSE(r.reports[6].probe);
    CHECK(r.reports[8].probe);
}

TEST_CASE("a direction that the capture does not hold is counted as unseen", "[tcp]") {
    std::vector<Packet> packets;
    for (std::uint32_t i = 0; i < 10; ++i)
        packets.push_back(data(0, i * 100, 100, 1'000'000 * i, i * 5000));
    Recording r;
    run(r, packets);
    CHECK(r.closed.at(0).connection.ends[1].unseen_bytes == 45000);
    CHECK_FALSE(r.closed.at(0).connection.ends[1].seen);

    // Its FIN takes a number, and is no byte.
    Packet fin = data(0, 1000, 0, 20'000'000, 45000);
    fin.flags = tcp_fin | tcp_ack;
    packets.push_back(fin);
    packets.push_back(data(0, 1001, 0, 21'000'000, 45001));
    Recording closed;
    run(closed, packets);
    CHECK(closed.closed.at(0).connection.ends[1].unseen_bytes == 45000);

    // What was acknowledged before its first frame passed before the capture began.
    packets.resize(10);
    packets.push_back(data(1, 45000, 100, 30'000'000));
    Recording late;
    run(late, packets);
    CHECK(late.closed.at(0).connection.ends[1].unseen_bytes == 0);
    CHECK(late.closed.at(0).connection.ends[1].stream_bytes == 100);
}

TEST_CASE("a connection's time never runs backwards") {
    std::vector<Packet> packets = handshake();
    for (Packet &p : packets)
        p.time_ns = 5'000'000'000;
    packets.push_back(data(0, 0, 100, 9'000'000'000));
    packets.push_back(
        data(0, 100, 100, 2'000'000'000)); // the stamp of a clock set back, on either way of a segment
    packets.push_back(data(0, 200, 100, 1'000'000'000));
    packets.push_back(data(0, 300, 100, 1'000'000'000));
    Recording r;
    run(r, packets);
    REQUIRE(r.closed.size() == 1);
    CHECK(to_ns(r.closed[0].connection.first_time) == 5'000'000'000);
    CHECK(to_ns(r.closed[0].connection.last_time) == 9'000'000'000);
}

TEST_CASE("a full table gives up the connections idle longest", "[tcp]") {
    Recording r;
    FedTcp engine{r, r, {.max_kept_bytes = 1 << 20}, {.max_connections = 1000}};
    for (std::uint32_t i = 0; i < 5000; ++i) {
        Packet p = data(0, 0, 10, 1'000'000 * i);
        engine.feed(segment(p, i + 1, static_cast<std::uint16_t>(10000 + i)));
        REQUIRE(r.opened.size() - r.closed.size() <= 1000);
    }
    engine.finish();
    CHECK(r.opened.size() == 5000);
    CHECK(r.closed.size() == 5000);
    CHECK(r.closed.front().stream.number < 100);
    CHECK(r.closed.front().reason == CloseReason::evicted);
}

TEST_CASE("connections that have ended are forgotten first, then those without payload", "[tcp]") {
    Recording r;
    FedTcp engine{r, r, {.max_kept_bytes = 1 << 20}, {.max_connections = 100, .max_followed = 1000}};
    FrameNumber frame = 0;
    const auto feed = [&](const Packet &p, std::uint32_t connection) {
        engine.feed(segment(p, ++frame, static_cast<std::uint16_t>(10000 + connection)));
    };
    for (std::uint32_t i = 0; i < 100; ++i) { // of payload, without, and ended, by turns
        Packet p = data(0, 0, i % 3 == 0 ? 10 : 0, 1'000'000 * i);
        feed(p, i);
        if (i % 3 == 2) {
            p.flags = tcp_rst;
            feed(p, i);
        }
    }
    const auto forgotten = [&](std::uint32_t turn) {
        return std::count_if(r.closed.begin(), r.closed.end(),
                             [&](const auto &c) { return c.stream.number % 3 == turn; });
    };
    std::uint32_t next = 100;
    const auto open_until = [&](std::size_t closed) {
        for (; r.closed.size() < closed; ++next)
            feed(data(0, 0, 10, 1'000'000 * next), next);
    };
    open_until(28);
    CHECK(forgotten(2) == 28);
    CHECK(engine.connections_forgotten() == 0); // they had ended
    open_until(60);
    CHECK(forgotten(1) >= 25);
    CHECK(forgotten(0) == 0);
    CHECK(engine.connections_forgotten() >= 25);
    engine.finish();
}

TEST_CASE("the connections whose payload the sink needs have a limit of their own", "[tcp]") {
    Recording r;
    FedTcp engine{r, r, {.max_kept_bytes = 1 << 20}, {.max_connections = 100'000, .max_followed = 800}};
    for (std::uint32_t i = 0; i < 5000; ++i) {
        engine.feed(segment(data(0, 0, 10, 1'000'000 * i), i + 1, static_cast<std::uint16_t>(10000 + i)));
        REQUIRE(r.opened.size() - r.closed.size() <= 902); // it is checked once for each eighth
    }
    CHECK(engine.connections_forgotten() == r.closed.size());
    engine.finish();
    CHECK(r.closed.size() == 5000);
}

TEST_CASE("connections whose payload cannot matter are forgotten before those whose payload may", "[tcp]") {
    ConnectionDirectory directory({.max_connections = 160, .max_followed = 1000},
                                  [](const Segment &first, bool) {
                                      return FirstPayload{first.source.port % 2 == 0, 0};
                                  });
    std::vector<StreamId> forgotten;
    std::vector<StreamId> streams; // by slot
    for (std::uint32_t i = 0; i < 230; ++i) {
        const Placement at = directory.place(
            segment(data(0, 0, 10, 1'000'000 * i), i + 1, static_cast<std::uint16_t>(10000 + i)));
        CHECK(at.opens);
        CHECK(at.stream == StreamId{i});
        for (const Closing &c : directory.closings()) {
            CHECK(c.reason == CloseReason::evicted);
            CHECK(c.frame == i + 1);
            forgotten.push_back(streams[c.slot]);
        }
        if (at.slot >= streams.size())
            streams.resize(at.slot + std::size_t{1});
        streams[at.slot] = at.stream;
    }
    CHECK(forgotten.size() >= 70);
    CHECK(std::all_of(forgotten.begin(), forgotten.end(), [](StreamId s) { return s.number % 2 == 1; }));
    CHECK(directory.connections_forgotten() == forgotten.size());
    CHECK(directory.connections_seen() == 230);
}

TEST_CASE("bytes acknowledged before a direction's SYN are none of its stream", "[tcp]") {
    Recording r;
    Packet first, later, syn;
    first.acknowledgment = 64; // of the acceptor, of which no frame has passed
    later.acknowledgment = 93;
    syn.side = 1;
    syn.flags = tcp_syn;
    syn.payload.resize(4);
    run(r, {first, later, syn});
    REQUIRE(r.closed.size() == 1);
    const ConnectionEnd &acceptor = r.closed[0].connection.end(Side::acceptor);
    CHECK(acceptor.stream_bytes == 4);
    CHECK(acceptor.unseen_bytes == 0);
}

TEST_CASE("what takes more than an hour is no round trip", "[tcp]") {
    RttTrack track;
    track.add_sample(std::chrono::hours(2), {});
    track.add_answer(std::chrono::hours(2));
    track.lower_minimum(Duration{-1});
    CHECK_FALSE(track.minimum.has_value());
    CHECK(track.samples + track.answers == 0);
    track.add_sample(std::chrono::seconds(2), {});
    CHECK(track.minimum == std::chrono::seconds(2));
}

TEST_CASE("the address table agrees with a standard map under insertions and removals", "[tcp]") {
    std::mt19937 random{5};
    ConnectionTable table;
    std::unordered_map<std::uint16_t, std::uint32_t> model;
    std::unordered_map<std::uint32_t, std::uint16_t> port_of; // by slot
    for (std::uint32_t i = 0; i < 20000; ++i) {
        Packet p = data(static_cast<int>(random() % 2), 0, 0, 0);
        const auto port = static_cast<std::uint16_t>(random() % 3000 + 1);
        const Segment s = segment(p, 1, port);
        // Ten hashes only, for one port in three: the slots distinguish them.
        const std::uint32_t hash = port % 3 == 0 ? port % 10 : hash_of_pair(s.source, s.destination);
        CHECK(hash_of_pair(s.source, s.destination) == hash_of_pair(s.destination, s.source));
        const auto found = model.find(port);
        const auto is = [&](std::uint32_t slot) { return port_of.at(slot) == port; };
        REQUIRE(table.find(hash, is) == (found == model.end() ? ConnectionTable::none : found->second));
        if (found == model.end()) {
            table.insert(hash, i);
            model[port] = i;
            port_of[i] = port;
        } else {
            table.erase(hash, found->second);
            model.erase(found);
        }
        REQUIRE(table.size() == model.size());
    }
}
